"""The first screen: two requests in twelve beats, as the engine's own log tells them."""

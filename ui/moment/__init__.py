"""One request of a load or a log on the stage, or a part of a recorded stream of KV events."""

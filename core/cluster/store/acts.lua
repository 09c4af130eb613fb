-- The acts of a store of KV blocks on Valkey or Redis: one call, one act (nothing runs between its commands).
--
-- KEYS[1]  the space's prefix, in braces, so that all its keys lie on one node of a cluster
-- ARGV     act, now ("" = the server's time), lease in seconds, capacity, chain aware (1/0), ranks, ...
--
--   p:index         hash   key -> slot                         what readers go by
--   p:claims        hash   key -> slot                         what writers go by
--   p:slot:N        hash   key, parent, token, until, done, doomed, ready
--   p:kids          hash   key -> blocks that hang on it
--   p:used          zset   ready slots by last use             p:writing  zset  claimed slots by end of lease
--   p:free          zset   slots given back                    p:count    hash  fresh (slots ever taken), tick
--   p:pins:N        hash   token -> end of its lease           p:memory:N:R  a shard
--
-- An empty server is an empty store: nothing has to be set up, so one that was restarted just misses.

local p = KEYS[1]
local act, lease, capacity, chained, ranks = ARGV[1], tonumber(ARGV[3]), tonumber(ARGV[4]), ARGV[5] == '1', tonumber(ARGV[6])
local now = tonumber(ARGV[2])
if not now then
  local time = redis.call('TIME')
  now = tonumber(time[1]) + tonumber(time[2]) / 1000000
end

local function slot_key(slot) return p .. ':slot:' .. slot end
local function pins_key(slot) return p .. ':pins:' .. slot end
local function stamp(seconds) return string.format('%.6f', seconds) end

local function kids(key, change)
  if redis.call('HINCRBY', p .. ':kids', key, change) <= 0 then redis.call('HDEL', p .. ':kids', key) end
end

-- Out of the index, then out of the table. Without `unlink` the key stays there, and is returned.
local function release(slot, unlink)
  local row = redis.call('HMGET', slot_key(slot), 'key', 'parent')
  local key, parent = row[1], row[2]
  if unlink and redis.call('HGET', p .. ':index', key) == slot then redis.call('HDEL', p .. ':index', key) end
  if redis.call('HGET', p .. ':claims', key) == slot then redis.call('HDEL', p .. ':claims', key) end
  if parent and parent ~= '' then kids(parent, -1) end
  redis.call('ZREM', p .. ':used', slot)
  redis.call('ZREM', p .. ':writing', slot)
  redis.call('DEL', pins_key(slot), slot_key(slot))
  if unlink then return '' end
  return key
end

local function give_back(slot)
  release(slot, true)
  redis.call('ZADD', p .. ':free', slot, slot)
end

-- Of a claim whose lease is over nothing is left after this.
local function state(key)
  if redis.call('HEXISTS', p .. ':index', key) == 1 then return 'present' end
  local slot = redis.call('HGET', p .. ':claims', key)
  if not slot then return 'absent' end
  if tonumber(redis.call('HGET', slot_key(slot), 'until')) >= now then return 'pending' end
  give_back(slot)
  return 'absent'
end

local function is_pinned(slot)
  local pins = redis.call('HVALS', pins_key(slot))
  for i = 1, #pins do
    if tonumber(pins[i]) >= now then return true end
  end
  return false
end

local function victim(parent)
  local from = 0
  while true do
    local page = redis.call('ZRANGE', p .. ':used', from, from + 99)
    if #page == 0 then return false end
    for i = 1, #page do
      local key = redis.call('HGET', slot_key(page[i]), 'key')
      local free = key ~= parent and not (chained and redis.call('HEXISTS', p .. ':kids', key) == 1)
      if free and not is_pinned(page[i]) then return page[i] end
    end
    from = from + 100
  end
end

-- A slot to write into: free, of a writer who is gone, or the one that is evicted.
local function room(parent, unlink)
  local free = redis.call('ZPOPMIN', p .. ':free')
  if free[1] then return free[1], '' end
  if tonumber(redis.call('HGET', p .. ':count', 'fresh') or 0) < capacity then
    return tostring(redis.call('HINCRBY', p .. ':count', 'fresh', 1)), ''
  end
  local ended = redis.call('ZRANGEBYSCORE', p .. ':writing', '-inf', '(' .. stamp(now), 'LIMIT', 0, 1)[1]
  local slot = ended or victim(parent)
  if not slot then return false end
  return slot, release(slot, unlink)
end

local function touch(slots)
  for i = 1, #slots do
    local slot = chained and slots[#slots + 1 - i] or slots[i]
    local tick = redis.call('HINCRBY', p .. ':count', 'tick', 1)
    redis.call('ZADD', p .. ':used', 'XX', tick, slot)
  end
end

local function prefix(first)
  local slots = {}
  for i = first, #ARGV do
    local slot = redis.call('HGET', p .. ':index', ARGV[i])
    if not slot then break end
    slots[#slots + 1] = slot
  end
  return slots
end

local function pin(slots, token)
  for i = 1, #slots do redis.call('HSET', pins_key(slots[i]), token, stamp(now + lease)) end
  touch(slots)
end

local function rest(first)
  local found = {}
  for i = first, #ARGV do found[#found + 1] = ARGV[i] end
  return found
end

local acts = {}

function acts.find() return state(ARGV[7]) end

-- key, parent ('' = none), token, once, unlink first
function acts.claim()
  local key, parent, token = ARGV[7], ARGV[8], ARGV[9]
  if ARGV[10] == '1' then
    local found = state(key)
    if found ~= 'absent' then return { found, '' } end
  end
  if parent ~= '' and redis.call('HEXISTS', p .. ':index', parent) == 0 then return { 'orphan', '' } end
  local slot, doomed = room(parent, ARGV[11] == '1')
  if not slot then return { 'full', '' } end
  local ends = stamp(now + lease)
  redis.call('HSET', slot_key(slot), 'key', key, 'parent', parent, 'token', token, 'until', ends, 'done', 0,
    'doomed', doomed, 'ready', 0)
  redis.call('HSET', p .. ':claims', key, slot)
  redis.call('ZADD', p .. ':writing', ends, slot)
  if parent ~= '' then kids(parent, 1) end
  return { 'claimed', slot }
end

-- slot, rank, token, fenced, frame
function acts.write()
  if ARGV[10] == '1' and redis.call('HGET', slot_key(ARGV[7]), 'token') ~= ARGV[9] then return 0 end
  redis.call('SET', p .. ':memory:' .. ARGV[7] .. ':' .. ARGV[8], ARGV[11])
  return 1
end

-- slot, rank, token, together
function acts.finish()
  local slot, rank = ARGV[7], tonumber(ARGV[8])
  local row = redis.call('HMGET', slot_key(slot), 'token', 'key', 'done', 'doomed')
  if row[1] ~= ARGV[9] then return 'lost' end
  local key, doomed, done = row[2], row[4], bit.bor(tonumber(row[3]), bit.lshift(1, rank))
  redis.call('HSET', slot_key(slot), 'done', done)
  local whole = done == bit.lshift(1, ranks) - 1
  if ARGV[10] == '1' and not whole then return 'waiting' end
  local before = redis.call('HGET', p .. ':index', key)
  redis.call('HSET', p .. ':index', key, slot)
  if whole then
    redis.call('HDEL', slot_key(slot), 'token', 'until', 'doomed')
    redis.call('HSET', slot_key(slot), 'ready', 1)
    if redis.call('HGET', p .. ':claims', key) == slot then redis.call('HDEL', p .. ':claims', key) end
    redis.call('ZREM', p .. ':writing', slot)
    if doomed ~= '' and doomed ~= key and redis.call('HGET', p .. ':index', doomed) == slot then
      redis.call('HDEL', p .. ':index', doomed)
    end
    redis.call('ZADD', p .. ':used', 0, slot)
    touch({ slot })
  end
  if before and before ~= slot then return 'replaced' end
  return 'visible'
end

-- slot, token
function acts.give_up()
  if redis.call('HGET', slot_key(ARGV[7]), 'token') ~= ARGV[8] then return 0 end
  give_back(ARGV[7])
  return 1
end

function acts.look() return prefix(7) end

-- token, slots
function acts.pin() return pin(rest(8), ARGV[7]) end

-- token, keys
function acts.look_and_pin()
  local slots = prefix(8)
  pin(slots, ARGV[7])
  return slots
end

-- token, once, slots
function acts.unpin()
  local slots, held = rest(9), 1
  for i = 1, #slots do
    local pins = pins_key(slots[i])
    if redis.call('HDEL', pins, ARGV[7]) == 0 then
      held = 0
      if ARGV[8] == '0' then
        local others = redis.call('HKEYS', pins)
        table.sort(others)
        if others[1] then redis.call('HDEL', pins, others[1]) end
      end
    end
  end
  if held == 1 then touch(slots) end
  return held
end

-- The table, for an audit; memory is read beside it.
function acts.snapshot()
  local found = {}
  for slot = 1, tonumber(redis.call('HGET', p .. ':count', 'fresh') or 0) do
    local row = redis.call('HMGET', slot_key(slot), 'key', 'parent', 'ready', 'until')
    if row[1] then found[#found + 1] = { tostring(slot), row, redis.call('HGETALL', pins_key(slot)) } end
  end
  local memory = {}
  for slot = 1, tonumber(redis.call('HGET', p .. ':count', 'fresh') or 0) do
    for rank = 0, ranks - 1 do
      memory[#memory + 1] = redis.call('GET', p .. ':memory:' .. slot .. ':' .. rank)
    end
  end
  return { stamp(now), redis.call('HGETALL', p .. ':index'), found, memory,
    redis.call('HGET', p .. ':count', 'fresh') or '0' }
end

return acts[act]()

-- The requests of wrk: WISH=uniform or zipf over OBJECTS objects, each of 10 KB, or of many sizes (SIZES=n: /size/0 to n-1).
local objects = tonumber(os.getenv("OBJECTS") or "64000")
local sizes = tonumber(os.getenv("SIZES") or "0")
local zipf = (os.getenv("WISH") or "zipf") == "zipf"
local requests = {}
-- Vose's alias method: one look-up for each draw.
local alias, chance = {}, {}

local function weigh()
  local weights, sum = {}, 0
  for i = 1, objects do
    weights[i] = zipf and 1 / i ^ 0.99 or 1
    sum = sum + weights[i]
  end
  local small, large = {}, {}
  for i = 1, objects do
    weights[i] = weights[i] * objects / sum
    local to = weights[i] < 1 and small or large
    to[#to + 1] = i
  end
  while #small > 0 and #large > 0 do
    local less, more = table.remove(small), large[#large]
    chance[less], alias[less] = weights[less], more
    weights[more] = weights[more] - (1 - weights[less])
    if weights[more] < 1 then
      small[#small + 1] = table.remove(large)
    end
  end
  for _, rest in ipairs({small, large}) do
    for _, i in ipairs(rest) do chance[i], alias[i] = 1, i end
  end
end

function init(args)
  math.randomseed(tonumber(os.getenv("SEED") or "1"))
  weigh()
  for i = 1, objects do
    local n = (i * 7919) % objects
    local path = sizes == 0 and "/many/o" .. n or "/size/" .. (n * 31 % sizes) .. "/o" .. n
    requests[i] = wrk.format("GET", path)
  end
end

function request()
  local i = math.random(objects)
  if math.random() >= chance[i] then i = alias[i] end
  return requests[i]
end

function done(summary, latency, requests)
  local errors = summary.errors
  print(string.format("COUNTED %d %d %d %d", summary.requests, summary.duration, summary.bytes,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end

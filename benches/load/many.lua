-- Asks for one of many feeds: each once, or some much more often than others, as readers do.
local keys = tonumber(os.getenv("KEYS"))
local each_once = os.getenv("ORDER") == "each once"
local path = nil
local at = 0
local sums = {}

function init(args)
  math.randomseed(1)
  path = wrk.path
  if each_once then return end
  local sum = 0
  for rank = 1, keys do
    sum = sum + 1 / rank
    sums[rank] = sum
  end
end

-- The rank that a draw falls on, by halving.
local function rank()
  local draw = math.random() * sums[keys]
  local low, high = 1, keys
  while low < high do
    local middle = math.floor((low + high) / 2)
    if sums[middle] < draw then low = middle + 1 else high = middle end
  end
  return low
end

function request()
  at = at % keys + 1
  local key = each_once and at or rank()
  return wrk.format("GET", path .. key .. ".xml")
end

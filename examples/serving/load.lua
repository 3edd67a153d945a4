-- Requests of random tokens for wrk: sequences of 16 to 64 tokens, the same ones in each run.
math.randomseed(1)
local requests = {}

function init()
  for i = 1, 200 do
    local tokens = {}
    for j = 1, math.random(16, 64) do tokens[j] = math.random(0, 1023) end
    local body = '{"tokens": [' .. table.concat(tokens, ", ") .. ']}'
    requests[i] = wrk.format("POST", "/predict", {["Content-Type"] = "application/json"}, body)
  end
end

function request() return requests[math.random(#requests)] end

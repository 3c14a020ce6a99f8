-- Repeats ready-made requests in turn. Argument: a file of messages, each after a line with its length in bytes.
local messages, turn = {}, 0

function init(arguments)
   local file = assert(io.open(arguments[1], "rb"))
   while true do
      local length = file:read("*l")
      if not length then break end
      messages[#messages + 1] = file:read(tonumber(length))
   end
   file:close()
end

function request()
   turn = turn % #messages + 1
   return messages[turn]
end

-- wrk's own report has changing units; here all times are microseconds.
function done(summary, latency)
   local errors = summary.errors
   io.write(string.format(
      '\n{"requests":%d,"duration":%d,"bytes":%d,"connect":%d,"read":%d,"write":%d,"status":%d,"timeout":%d,' ..
      '"p50":%.1f,"p99":%.1f,"max":%.1f}\n',
      summary.requests, summary.duration, summary.bytes, errors.connect, errors.read, errors.write, errors.status,
      errors.timeout, latency:percentile(50), latency:percentile(99), latency.max))
end

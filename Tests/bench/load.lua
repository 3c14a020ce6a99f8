-- Repeats ready-made requests in turn. Arguments: a file of messages, each after a line with its length in bytes, and
-- "once" if none may be sent twice: then a line "done" comes after the last answer.
local messages, turn, answers = {}, 0, 0

function init(arguments)
   local file = assert(io.open(arguments[1], "rb"))
   while true do
      local length = file:read("*l")
      if not length then break end
      messages[#messages + 1] = file:read(tonumber(length))
   end
   file:close()
   if arguments[2] == "once" then
      turn, request, response = -1, request_once, count_answer
   end
end

function request()
   turn = turn % #messages + 1
   return messages[turn]
end

-- wrk asks for one request before the run, to look at it; so the first one is handed out twice. An empty request leaves
-- its connection silent.
function request_once()
   turn = turn + 1
   return messages[math.max(turn, 1)] or ""
end

function count_answer()
   answers = answers + 1
   if answers == #messages then
      -- wrk itself sleeps until its time is over, unless it is told.
      io.write("done\n")
      io.flush()
   end
end

-- wrk's own report has changing units; here all times are microseconds.
function done(summary, latency)
   local errors = summary.errors
   io.write(string.format(
      '\n{"requests":%d,"duration":%d,"bytes":%d,"connect":%d,"read":%d,"write":%d,"status":%d,"timeout":%d,' ..
      '"p50":%.1f,"p75":%.1f,"p90":%.1f,"p99":%.1f,"p99.9":%.1f,"max":%.1f}\n',
      summary.requests, summary.duration, summary.bytes, errors.connect, errors.read, errors.write, errors.status,
      errors.timeout, latency:percentile(50), latency:percentile(75), latency:percentile(90), latency:percentile(99),
      latency:percentile(99.9), latency.max))
end

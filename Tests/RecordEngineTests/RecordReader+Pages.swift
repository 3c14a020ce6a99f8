import RecordEngine
import RecordModel
import RecordWire

/// Pages without a bound in time, on the test's own thread.
extension RecordReader {
    func list(
        type: RecordTypeName, in address: DatabaseAddress, for caller: Caller, fields: [String]?, limit: Int,
        cursor: String?, to output: inout [UInt8]
    ) throws(RecordError) {
        let request = ListRequest(
            type: type, in: address, for: caller, fields: fields, limit: limit, cursor: cursor)
        var time = PageTimeLimit.unbounded
        output += try request.page(by: self, &time)?.object.bytes ?? []
    }

    func changes(
        in address: DatabaseAddress, for caller: Caller, since: String?, limit: Int, fields: [String]?,
        to output: inout [UInt8]
    ) throws(RecordError) {
        let request = ChangesRequest(
            in: address, for: caller, since: FeedStart(since), limit: limit, selection: FeedSelection(fields: fields))
        var time = PageTimeLimit.unbounded
        output += try request.page(by: self, &time)?.object.bytes ?? []
    }
}

extension RecordPage {
    /// The page as a JSON object, in a form of the tests.
    var object: JSONValue {
        var members: [(String, JSONValue)] = []
        let list = JSONValue.array(records.members)
        switch end {
        case .complete: members.append(("records", list))
        case .cursor(let cursor): members += [("records", list), ("cursor", .string(cursor))]
        case .token(let token, let moreComing):
            members += [("changes", list), ("token", .string(token)), ("moreComing", .bool(moreComing))]
        }
        if let previousCursor { members.append(("previousCursor", .string(previousCursor))) }
        if let count { members.append(("count", .integer(Int64(count)))) }
        if let total { members.append(("total", total.json)) }
        if let highlights { members.append(("highlights", highlights)) }
        if let expanded { members.append(("expanded", (try? JSONValue.parse(expanded)) ?? .null)) }
        if !notices.isEmpty { members.append(("notices", .array(notices.map(\.json)))) }
        if let plan { members.append(("plan", plan)) }
        return .object(JSONObject(members))
    }
}

extension RecordList {
    /// The members of a list that was written without opening brackets.
    var members: [JSONValue] {
        (try? JSONValue.parse([UInt8(ascii: "[")] + json + [UInt8(ascii: "]")]))?.array ?? []
    }
}

internal import HTTP
internal import RecordEngine
internal import RecordWire

/// The start of the JSON around the records in a response.
enum Envelope {
    static let records: StaticString = #"{"records":["#
    static let changes: StaticString = #"{"changes":["#
}

extension RecordPage {
    /// Returns the JSON of the page:
    /// `{"records":[…],"cursor"?,"previousCursor"?,"count"?,"total"?,"syncToken"?,"highlights"?,"expanded"?,"notices"?,"plan"?}`. For
    /// a page that begins with `changes`, returns `{"changes":[…],"token":"…","moreComing":bool}`. For an aggregate, returns
    /// `{"groups":[…],"moreGroups"?,"notices"?,"plan"?}`.
    ///
    /// Call it on the result of the call that makes the page. A page in a variable of an asynchronous function would be
    /// copied.
    ///
    /// - Parameter syncToken: The zone's sync token from before the page, if the request asked for it.
    consuming func json(syncToken: String? = nil) -> [UInt8] {
        if let groups {
            records.json = groups
        } else {
            records.json.append(UInt8(ascii: "]"))
        }
        switch end {
        case .complete: break
        case .cursor(let cursor):
            records.json.appendLiteral(",\"cursor\":")
            records.json.appendString(cursor)
        case .token(let token, let moreComing):
            records.json.appendLiteral(",\"token\":")
            records.json.appendString(token)
            records.json.appendLiteral(moreComing ? ",\"moreComing\":true" : ",\"moreComing\":false")
        }
        if let previousCursor {
            records.json.appendLiteral(",\"previousCursor\":")
            records.json.appendString(previousCursor)
        }
        if let count {
            records.json.appendLiteral(",\"count\":")
            records.json.appendInteger(Int64(count))
        }
        if let total {
            records.json.appendLiteral(",\"total\":")
            total.json.write(to: &records.json)
        }
        if let syncToken {
            records.json.appendLiteral(",\"syncToken\":")
            records.json.appendString(syncToken)
        }
        if let highlights {
            records.json.appendLiteral(",\"highlights\":")
            highlights.write(to: &records.json)
        }
        if let expanded {
            records.json.appendLiteral(",\"expanded\":")
            records.json += expanded
        }
        if !notices.isEmpty {
            records.json.appendLiteral(",\"notices\":")
            JSONValue.array(notices.map(\.json)).write(to: &records.json)
        }
        if let plan {
            records.json.appendLiteral(",\"plan\":")
            plan.write(to: &records.json)
        }
        records.json.append(UInt8(ascii: "}"))
        return records.json
    }
}

extension WriteResponse {
    /// Returns the JSON of one record with `notices` as its last member. For a batch, returns
    /// `{"records":[…],"notices"?}`.
    consuming func json() -> [UInt8] {
        guard document.isEmpty else { return document }
        if outcome == .batch {
            records.json.append(UInt8(ascii: "]"))
        } else if notices.isEmpty {
            return records.json
        } else {
            records.json.removeLast()
        }
        if !notices.isEmpty {
            records.json.appendLiteral(",\"notices\":")
            records.json += notices
        }
        records.json.append(UInt8(ascii: "}"))
        return records.json
    }
}

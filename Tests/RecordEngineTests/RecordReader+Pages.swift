import RecordEngine
import RecordModel

/// Pages without a bound in time, on the test's own thread.
extension RecordReader {
    func list(
        type: RecordTypeName, in address: DatabaseAddress, for caller: Caller, fields: [String]?, limit: Int,
        cursor: String?, to output: inout [UInt8]
    ) throws(RecordError) {
        let request = ListRequest(
            type: type, in: address, for: caller, fields: fields, limit: limit, cursor: cursor)
        var time = PageTime.unbounded
        output += try request.page(by: self, &time) ?? []
    }

    func changes(
        in address: DatabaseAddress, for caller: Caller, since: String?, limit: Int, fields: [String]?,
        to output: inout [UInt8]
    ) throws(RecordError) {
        let request = ChangesRequest(in: address, for: caller, since: since, limit: limit, fields: fields)
        var time = PageTime.unbounded
        output += try request.page(by: self, &time) ?? []
    }
}

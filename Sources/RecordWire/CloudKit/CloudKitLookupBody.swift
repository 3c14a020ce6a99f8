package import RecordModel

/// The body of `records/lookup` (CloudKit Web Services Reference, "Fetching Records by Record Name").
package struct CloudKitLookupBody: Sendable {
    /// A record that the request names.
    package struct Item: Hashable, Sendable {
        /// The record name, as received.
        package var recordName: String
        /// The fields of the response; `nil` for those of the request.
        package var desiredKeys: [String]?
    }

    /// The records, in order.
    package var records: [Item] = []
    /// The zone of all records.
    package var zone = CloudKitZoneID()
    /// The fields of each record in the response; `nil` for all.
    package var desiredKeys: [String]?
    /// Whether numbers are strings in the response.
    package var numbersAsStrings = false

    /// The most records of one request.
    package static let maxRecords = 200

    /// Reads the body. If the request names no zone, but a record does, the zone is that of the record.
    ///
    /// - Throws: `BAD_REQUEST` for a body without CloudKit's form and for records in several zones; cause `TOO_LARGE`
    ///   for too many records.
    package static func read(_ body: [UInt8]) throws(RecordError) -> CloudKitLookupBody {
        var read = CloudKitLookupBody()
        var zone: CloudKitZoneID?
        var zones: Set<CloudKitZoneID> = []
        var hasRecords = false
        try CloudKitReader.readBody(body) { reader, key throws(RecordError) in
            switch key {
            case "records":
                hasRecords = true
                try reader.objects("records", limit: maxRecords) { reader throws(RecordError) in
                    let (item, zone) = try Item.read(&reader)
                    read.records.append(item)
                    zones.insert(zone ?? CloudKitZoneID())
                }
            case "zoneID": zone = try reader.zone()
            case "desiredKeys": read.desiredKeys = try reader.fieldNames()
            case "numbersAsStrings", "numberAsStrings":
                read.numbersAsStrings = try reader.flag("numbersAsStrings") ?? false
            default: _ = try reader.value()
            }
        }
        guard hasRecords else { throw .unexpectedInput("the body needs 'records'") }
        guard zone != nil || zones.count <= 1 else {
            throw .badRequest("The records of a request are in one zone. Send one request for each zone")
        }
        read.zone = zone ?? zones.first ?? CloudKitZoneID()
        return read
    }
}

extension CloudKitLookupBody.Item {
    fileprivate static func read(
        _ reader: inout CloudKitReader
    ) throws(RecordError) -> (CloudKitLookupBody.Item, CloudKitZoneID?) {
        var name: String?
        var keys: [String]?
        var zone: CloudKitZoneID?
        try reader.object("A record") { reader, key throws(RecordError) in
            switch key {
            case "recordName": name = try reader.string("recordName")
            case "desiredKeys": keys = try reader.fieldNames()
            case "zoneID": zone = try reader.zone()
            default: _ = try reader.value()
            }
        }
        guard let name else { throw .unexpectedInput("a record needs 'recordName'") }
        return (CloudKitLookupBody.Item(recordName: name, desiredKeys: keys), zone)
    }
}

package import RecordModel

/// The body of `records/modify` (CloudKit Web Services Reference, "Modifying Records").
package struct CloudKitModifyBody: Sendable {
    /// One operation.
    package struct Operation: Sendable {
        /// The operation type and the record.
        package var input: OperationInput
        /// The fields of the response; `nil` for those of the request.
        package var desiredKeys: [String]?
        /// The error of an invalid record. It is the result of this operation; the others are executed.
        package var rejection: RecordError?
        fileprivate var zone: CloudKitZoneID?
    }

    /// The operations, in order.
    package var operations: [Operation] = []
    /// Whether all operations are executed or none. It has an effect in custom zones only.
    package var isAtomic = true
    /// The fields of each record in the response; `nil` for all.
    package var desiredKeys: [String]?
    /// Whether numbers are strings in the response.
    package var numbersAsStrings = false
    /// The zone of all operations.
    package var zone = CloudKitZoneID()

    /// The most operations of one request.
    package static let maxOperations = 200

    /// Reads the body. An operation with an invalid record becomes one with a rejection.
    ///
    /// - Parameter isPublic: Whether the records are in the public database, for the error about encrypted fields.
    /// - Throws: `BAD_REQUEST` for a body without CloudKit's form, for operations in several zones, and for two
    ///   operations on one record; cause `TOO_LARGE` for too many operations.
    package static func read(_ body: [UInt8], isPublic: Bool) throws(RecordError) -> CloudKitModifyBody {
        var read = CloudKitModifyBody()
        var zone: CloudKitZoneID?
        var hasOperations = false
        try CloudKitReader.readBody(body) { reader, key throws(RecordError) in
            switch key {
            case "operations":
                hasOperations = true
                try reader.objects("operations", limit: maxOperations) { reader throws(RecordError) in
                    read.operations.append(try Operation(reading: &reader, body: body, isPublic: isPublic))
                }
            case "zoneID": zone = try reader.zone()
            case "atomic": read.isAtomic = try reader.flag("atomic") ?? true
            case "desiredKeys": read.desiredKeys = try reader.fieldNames()
            case "numbersAsStrings", "numberAsStrings":
                read.numbersAsStrings = try reader.flag("numbersAsStrings") ?? false
            default: _ = try reader.value()
            }
        }
        guard hasOperations else { throw .unexpectedInput("the body needs 'operations'") }
        read.zone = try read.zone(of: zone)
        try read.checkNames()
        return read
    }

    /// Returns the zone of all operations. The request's zone takes precedence over those of the records.
    private func zone(of request: CloudKitZoneID?) throws(RecordError) -> CloudKitZoneID {
        if let request { return request }
        let zones = Set(operations.map { $0.zone ?? CloudKitZoneID() })
        guard zones.count <= 1 else {
            throw .badRequest("The records of a request are in one zone. Send one request for each zone")
        }
        return zones.first ?? CloudKitZoneID()
    }

    private func checkNames() throws(RecordError) {
        var names: Set<RecordName> = []
        for operation in operations {
            guard let name = operation.input.record.recordName, !names.insert(name).inserted else { continue }
            throw .badRequest(
                "Two operations name the record '\(name.text.prefix(64))'. A request has one operation for each record",
                details: [("recordName", .text(name.text))])
        }
    }
}

extension CloudKitModifyBody.Operation {
    fileprivate init(reading reader: inout CloudKitReader, body: [UInt8], isPublic: Bool) throws(RecordError) {
        var kind: OperationKind?
        var record: JSONToken?
        var keys: [String]?
        try reader.object("An operation") { reader, key throws(RecordError) in
            switch key {
            case "operationType":
                guard let word = try reader.string("operationType") else { return }
                kind = OperationKind(rawValue: word)
                guard kind != nil else {
                    throw .unexpectedInput(
                        "'operationType' must be one of \(OperationKind.allCases.map(\.rawValue).joined(separator: ", "))"
                    )
                }
            case "record":
                let token = try reader.value()
                if token.kind != .null { record = token }
            case "desiredKeys": keys = try reader.fieldNames()
            default: _ = try reader.value()
            }
        }
        guard let kind, let record, record.kind == .object else {
            throw .unexpectedInput("an operation needs 'operationType' and 'record'")
        }
        input = OperationInput(kind: kind, record: RecordInput(body: body))
        input.record.ignoresUnknownKeys = true
        var nested = try CloudKitReader(reader.json, at: record)
        try readRecord(&nested, isPublic: isPublic)
        if let keys, desiredKeys == nil { desiredKeys = keys }
    }

    /// Reads the record of an operation. The keys of responses, which clients send back, are ignored.
    ///
    /// - Throws: `BAD_REQUEST` for a record without CloudKit's form. An invalid name, type or field becomes the
    ///   operation's rejection.
    private mutating func readRecord(_ reader: inout CloudKitReader, isPublic: Bool) throws(RecordError) {
        var operation = self
        var members = SharingMembers()
        try reader.object("'record'") { reader, key throws(RecordError) in
            switch key {
            case "recordName":
                guard let text = try reader.string("recordName") else { return }
                operation.input.record.recordName = RecordName(text)
                if operation.input.record.recordName == nil { operation.reject(.invalidRecordName) }
            case "recordType":
                guard let text = try reader.string("recordType") else { return }
                operation.input.record.recordType = RecordTypeName(text)
                if operation.input.record.recordType == nil {
                    operation.reject(.badRequest("A record type's name \(Identifier.rule)"))
                }
            case "recordChangeTag":
                operation.input.record.recordChangeTag = try reader.string("recordChangeTag")
            case "fields":
                let token = try reader.value()
                var nested = try CloudKitReader(reader.json, at: token)
                do throws(RecordError) {
                    operation.input.record.fields = try nested.request.fields(.cloudKit(isPublic: isPublic))
                } catch {
                    operation.reject(error)
                }
            case "zoneID": operation.zone = try reader.zone()
            case "desiredKeys": operation.desiredKeys = try reader.fieldNames()
            default: if try !members.read(named: key, &reader.request) { _ = try reader.value() }
            }
        }
        do throws(RecordError) {
            operation.input.record.sharing = try members.input()
        } catch {
            operation.reject(error)
        }
        self = operation
    }

    private mutating func reject(_ error: RecordError) {
        if rejection == nil { rejection = error }
    }
}

extension RecordError {
    static let invalidRecordName = RecordError.badRequest(
        "A record name has 1 to \(Limits.recordNameBytes) UTF-8 bytes and no control characters, and is neither . nor .."
    )
}

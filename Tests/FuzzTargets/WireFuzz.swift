import RecordModel
import RecordWire

/// Properties of the readers of JSON.
enum WireFuzz {
    /// A value that was read and written has the same meaning when it is read again.
    static func json(_ bytes: [UInt8]) -> String? {
        guard let value = try? JSONValue.parse(bytes) else { return nil }
        let text = value.bytes
        guard let again = try? JSONValue.parse(text) else {
            return "Not read again: \(String(decoding: text, as: UTF8.self))"
        }
        return again.bytes == text ? nil : "Read again, it is \(String(decoding: again.bytes, as: UTF8.self))"
    }

    /// Bodies of all routes.
    static func requests(_ bytes: [UInt8]) -> String? {
        _ = try? RecordInput.readSingle(bytes)
        _ = try? BatchInput.read(bytes, maxOperations: 200)
        _ = try? ContainerLine.read(bytes)
        readResponse(bytes)
        if let query = try? QueryInput.read(bytes) {
            if query.identity.isEmpty { return "A query without an identity." }
            if let type = try? QuerySample.type() {
                let known = UserID(rawValue: 7)
                _ = try? query.aggregate?.bind(to: type, now: QuerySample.now) { name in name == "_bob" ? known : nil }
            }
        }
        if let problem = schemaText(bytes) { return problem }
        guard let document = try? SchemaDocument.read(bytes) else { return nil }
        var text: [UInt8] = []
        document.write(to: &text)
        guard let again = try? SchemaDocument.read(text) else { return "A schema that cannot be read again." }
        var second: [UInt8] = []
        again.write(to: &second)
        return text == second ? nil : "A schema that is another when it is read again."
    }

    /// A text of the schema language that was read and written has the same meaning when it is read again.
    private static func schemaText(_ bytes: [UInt8]) -> String? {
        guard let document = try? SchemaDocument.parse(text: bytes) else { return nil }
        let text = document.text
        guard let again = try? SchemaDocument.parse(text: Array(text.utf8)) else {
            return "A schema text that cannot be read again: \(text)"
        }
        return again == document.complete && again.text == text ? nil : "A schema text that is another: \(text)"
    }

    /// The client's reading, with every value decoded.
    private static func readResponse(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { buffer in
            func read(_ scanner: inout RecordScanner) {
                var fields = scanner.fields
                for name in fields.names { _ = fields.find(name).map { (fields.value(of: $0), fields.shape(of: $0)) } }
            }
            var scanner = RecordScanner(buffer)
            if (try? scanner.readDocument()) != nil { read(&scanner) }
            _ = try? RecordScanner.readResponse(buffer, list: "records", malformed: { $0 as JSONError }) {
                scanner throws(JSONError) in read(&scanner)
            }
        }
    }

    /// A stored form is canonical: written as a body, it is stored unchanged.
    static func record(_ bytes: [UInt8]) -> String? {
        guard let stored = store(bytes) else { return nil }
        do {
            let hasExternals = try stored.withView { view throws(RecordError) in
                try view.check()
                return view.hasExternals
            }
            if hasExternals { return nil }
        } catch {
            return "What was stored is damaged: \(error)"
        }
        let body = Array("{\"fields\":{".utf8) + stored.text + Array("}}".utf8)
        guard let again = store(body) else { return "Not stored again: \(String(decoding: body, as: UTF8.self))" }
        return again == stored ? nil : "Stored again, it is another: \(String(decoding: body, as: UTF8.self))"
    }

    private static func store(_ body: [UInt8]) -> StoredFields? {
        do throws(RecordError) {
            let type = try QuerySample.type()
            let resolved = try FieldResolver.resolve(
                try RecordInput.readSingle(body), typeName: type.name, type: type, allowsNewFields: false,
                recordBytes: 1 << 20)
            return try FieldMerger.merge(
                resolved, into: nil, replacingAll: true, now: QuerySample.now, recordBytes: 1 << 20,
                loadExternal: { _ throws(RecordError) in throw .recordNotFound }
            ).stored
        } catch {
            return nil
        }
    }

    /// A row that a disk has damaged is rejected or read, without harm.
    static func stored(_ bytes: [UInt8]) -> String? {
        var choices = FuzzChoices(bytes)
        let count = min(choices.number(below: 256), choices.rest.count)
        let fields = StoredFields(
            text: Array(choices.rest.dropFirst(count)), layout: Array(choices.rest.prefix(count)))
        _ = try? fields.withView { view throws(RecordError) in
            guard view.count <= fields.layout.count else { return }
            view.forEachEntry { entry in
                _ = view.name(of: entry)
                _ = view.valueText(of: entry)
                _ = try? view.value(of: entry) { _ in throw RecordError.recordNotFound }
            }
            _ = try? view.assets()
            _ = try? view.references(includingNone: true)
            try view.check()
        }
        return nil
    }
}

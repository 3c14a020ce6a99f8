internal import Foundation
public import RecordModel
internal import RecordWire

/// A record without a model: its fields by name.
///
/// ```swift
/// var post = Record("Post")
/// post["title"] = "sea"
/// post = try await database.save(post)
/// let title: String? = post["title"]
/// ```
public struct Record: Hashable, Sendable {
    /// The record's type: a letter of any script, then letters, digits and underscores, 255 bytes at most. It never changes.
    public let recordType: String
    /// Unique over all types. The client makes it, so that a create that is tried again makes no second record.
    public let name: String
    /// What the server knows of the record; `nil` before it was saved.
    public internal(set) var metadata: RecordMetadata?
    /// Who may read and write it; `nil` leaves the list as it is.
    public var access: RecordAccess?
    /// The values of all fields that the app has asked for.
    public var fields: [String: FieldValue] = [:]
    /// The fields as they were read.
    package var original: [String: FieldValue] = [:]

    /// A record that is not saved yet.
    public init(_ recordType: String, name: String? = nil) {
        self.recordType = recordType
        self.name = name ?? RecordNames.make()
    }

    /// A field's value as a type of Swift; `nil` where it is absent, or of another type.
    public subscript<Value: FieldConvertible>(field: String) -> Value? {
        get { fields[field].flatMap(Value.init(fieldValue:)) }
        set { fields[field] = newValue?.fieldValue }
    }

    /// The names of the fields that differ from what was read.
    public var changedFields: Set<String> {
        Set(fields.keys).union(original.keys).filter { fields[$0] != original[$0] }
    }

    /// The state of the record; `nil` before it was saved.
    public var version: String? { metadata?.version }

    /// Reads the record at which a scanner stands.
    init(_ scanner: inout RecordScanner) {
        let metadata = RecordMetadata(scanner.head, type: "")
        self.init(metadata.recordType, name: metadata.name)
        self.metadata = metadata
        access = metadata.access
        var values = scanner.fields
        for name in values.names { fields[name] = values.find(name).flatMap { values.value(of: $0) } }
        original = fields
    }

    /// Reads a record out of a larger document.
    init?(tree: JSONValue) {
        let record = tree.bytes.withUnsafeBytes { bytes -> Record? in
            var scanner = RecordScanner(bytes)
            do { try scanner.readDocument() } catch { return nil }
            return Record(&scanner)
        }
        guard let record else { return nil }
        self = record
    }

    /// Reads the record as a model.
    ///
    /// - Throws: `FogbaseError.decoding` if it does not fit.
    public func decode<Model: RecordDecodable>(_ type: Model.Type = Model.self) throws -> Model {
        var writer = FieldWriter(removesAbsent: false, asAnswer: true)
        for (name, value) in fields { try writer.encode(value: value, for: name) }
        var text = Array("{\"fields\":{".utf8)
        text += writer.text
        text += Array("}}".utf8)
        return try text.withUnsafeBytes { bytes in
            var scanner = RecordScanner(bytes)
            do throws(JSONError) { try scanner.readDocument() } catch {
                throw FogbaseError.invalidArgument(error.reason)
            }
            var reader = FieldReader(scanner.fields)
            do {
                return try Model(fields: &reader)
            } catch let error as FogbaseError {
                throw error.about(name)
            }
        }
    }

    /// The record as a model with what the server knows of it, such as one that the change feed has brought.
    ///
    /// - Throws: `FogbaseError.decoding` if it does not fit, `FogbaseError.invalidArgument` if it was never saved.
    public func stored<Model: RecordDecodable>(as type: Model.Type = Model.self) throws -> Stored<Model> {
        guard let metadata else {
            throw FogbaseError.invalidArgument("Record '\(name)' was not saved yet, so it has no version")
        }
        return Stored(try decode(type), metadata: metadata)
    }
}

/// Makes the names of new records.
enum RecordNames {
    /// A name that no other record has, ordered by time (RFC 9562, section 5.7: UUID version 7), so that those of one
    /// moment stand side by side in the server's indexes.
    static func make(at date: Date = Date()) -> String {
        let milliseconds = UInt64(max(0, date.milliseconds))
        var random = SystemRandomNumberGenerator()
        let (high, low) = (random.next(), random.next())
        let first = (milliseconds & 0xFFFF_FFFF_FFFF) &<< 16 | 0x7000 | (high & 0x0FFF)
        let second = 0x8000_0000_0000_0000 | (low & 0x3FFF_FFFF_FFFF_FFFF)
        let digits = [first, second].map { word in
            let text = String(word, radix: 16)
            return String(repeating: "0", count: 16 - text.count) + text
        }.joined()
        let cuts = [0, 8, 12, 16, 20, 32]
        return zip(cuts, cuts.dropFirst()).map { start, end in
            digits.dropFirst(start).prefix(end - start)
        }.joined(separator: "-")
    }
}

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
    /// The record type: a letter of any script, then letters, digits and underscores, at most 255 bytes.
    public let recordType: String
    /// The record name, unique over all record types. The client generates the name, so that a retried create does not
    /// create a second record.
    public let name: String
    /// The record's system fields; `nil` if the record was never saved.
    public internal(set) var metadata: RecordMetadata?
    /// The access list; `nil` leaves the server's list unchanged.
    public var access: RecordAccess?
    /// The name of the record's parent in its zone; `nil` for none. ``Share`` tells what parents are for.
    public var parent: String?
    /// The fetched or assigned fields, by name.
    public var fields: [String: FieldValue] = [:]
    /// The fields as they were read.
    package var original: [String: FieldValue] = [:]

    /// Creates a record that is not saved yet.
    ///
    /// - Parameters:
    ///   - recordType: The record type.
    ///   - name: The record name; `nil` generates one.
    public init(_ recordType: String, name: String? = nil) {
        self.recordType = recordType
        self.name = name ?? RecordNames.make()
    }

    /// The field's value as a Swift type; `nil` if the field is missing or has another type.
    public subscript<Value: FieldConvertible>(field: String) -> Value? {
        get { fields[field].flatMap(Value.init(fieldValue:)) }
        set { fields[field] = newValue?.fieldValue }
    }

    /// The names of the fields that have changed since the record was read.
    public var changedFields: Set<String> {
        Set(fields.keys).union(original.keys).filter { fields[$0] != original[$0] }
    }

    /// The change tag of the record (CloudKit's `recordChangeTag`); `nil` if the record was never saved.
    public var version: String? { metadata?.version }

    /// Reads the scanner's current record.
    init(_ scanner: inout RecordScanner) {
        let metadata = RecordMetadata(scanner.head, type: "")
        self.init(metadata.recordType, name: metadata.name)
        self.metadata = metadata
        access = metadata.access
        parent = metadata.parent
        var values = scanner.fields
        for name in values.names { fields[name] = values.find(name).flatMap { values.value(of: $0) } }
        original = fields
    }

    /// Reads a record from a part of a JSON document; `nil` if the part is not a valid record.
    init?(tree: JSONValue) {
        let record = tree.bytes.withUnsafeBytes { bytes -> Record? in
            var scanner = RecordScanner(bytes)
            do { try scanner.readDocument() } catch { return nil }
            return Record(&scanner)
        }
        guard let record else { return nil }
        self = record
    }

    /// Returns the record as a model.
    ///
    /// - Throws: `FogbaseError.decoding` if the record does not fit the model.
    public func decode<Model: RecordDecodable>(_ type: Model.Type = Model.self) throws -> Model {
        var writer = FieldWriter(removesAbsent: false, asResponse: true)
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

    /// Returns the record as a model with metadata. Use it, for example, for records from the change feed.
    ///
    /// - Throws: `FogbaseError.decoding` if the record does not fit the model; `invalidArgument` if the record was
    ///   never saved.
    public func stored<Model: RecordDecodable>(as type: Model.Type = Model.self) throws -> Stored<Model> {
        guard let metadata else {
            throw FogbaseError.invalidArgument("Record '\(name)' was not saved yet, so it has no version")
        }
        return Stored(try decode(type), metadata: metadata)
    }
}

/// A generator of names for new records.
enum RecordNames {
    /// Returns a unique name that sorts by time (RFC 9562, section 5.7: UUID version 7), so that records created at the
    /// same time are adjacent in the server's indexes.
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

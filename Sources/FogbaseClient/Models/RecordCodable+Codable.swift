internal import Foundation
internal import RecordModel
internal import RecordWire

// Default implementations for Codable types: stored properties are fields with the names of their coding keys.

extension RecordDecodable where Self: Decodable {
    public init(fields reader: inout FieldReader) throws {
        var fields: [String: FieldValue] = [:]
        // A field of a type that this client does not know must not prevent reading the other fields.
        var unread: [String: String] = [:]
        for name in reader.scanner.names {
            guard let index = reader.scanner.find(name) else { continue }
            if let value = reader.scanner.value(of: index) {
                fields[name] = value
            } else {
                unread[name] = reader.scanner.shape(of: index)
            }
        }
        try self.init(from: FieldDecoder(fields, unread: unread))
    }
}

extension RecordEncodable where Self: Encodable {
    public func encode(fields writer: inout FieldWriter) throws {
        let encoder = FieldEncoder()
        try encode(to: encoder)
        for (name, value) in try encoder.finish() {
            if let value {
                try writer.encode(value: value, for: name)
            } else {
                try writer.encode(String?.none, for: name)
            }
        }
    }
}

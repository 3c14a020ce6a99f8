import Foundation

/// The value of a field. The wire has its type beside it: `{"value":3,"type":"INT64"}`.
enum FieldValue: Codable, Hashable, Sendable {
    case string(String)
    case integer(Int)
    case double(Double)
    case date(Date)
    case strings([String])
    case reference(Reference)
    case asset(Asset)
    /// No value. In a request it removes the field.
    case missing

    private enum Key: CodingKey { case value, type }

    init(from decoder: any Decoder) throws {
        let field = try decoder.container(keyedBy: Key.self)
        switch try field.decode(String.self, forKey: .type) {
        case "STRING": self = .string(try field.decode(String.self, forKey: .value))
        case "INT64": self = .integer(try field.decode(Int.self, forKey: .value))
        case "DOUBLE": self = .double(try field.decode(Double.self, forKey: .value))
        case "TIMESTAMP":
            self = .date(Date(timeIntervalSince1970: try field.decode(Double.self, forKey: .value) / 1_000))
        case "STRING_LIST": self = .strings(try field.decode([String].self, forKey: .value))
        case "REFERENCE": self = .reference(try field.decode(Reference.self, forKey: .value))
        case "ASSETID": self = .asset(try field.decode(Asset.self, forKey: .value))
        case let type:
            throw DecodingError.dataCorruptedError(
                forKey: .type, in: field, debugDescription: "These apps have no fields of the type \(type)")
        }
    }

    func encode(to encoder: any Encoder) throws {
        var field = encoder.container(keyedBy: Key.self)
        func encode(_ value: some Encodable, _ type: String) throws {
            try field.encode(value, forKey: .value)
            try field.encode(type, forKey: .type)
        }
        switch self {
        case .string(let text): try encode(text, "STRING")
        case .integer(let number): try encode(number, "INT64")
        case .double(let number): try encode(number, "DOUBLE")
        case .date(let date): try encode(Int((date.timeIntervalSince1970 * 1_000).rounded()), "TIMESTAMP")
        case .strings(let texts): try encode(texts, "STRING_LIST")
        case .reference(let reference): try encode(reference, "REFERENCE")
        case .asset(let asset): try encode(asset, "ASSETID")
        case .missing: try field.encodeNil(forKey: .value)
        }
    }
}

/// A reference to a record.
struct Reference: Codable, Hashable, Sendable {
    var recordName: String
    /// `DELETE_SELF` deletes the record with the reference when its target is deleted.
    var action = "NONE"
}

/// A file. An upload returns it with a receipt, and a record with the URL from which to download it.
struct Asset: Codable, Hashable, Sendable {
    var fileChecksum: String
    var size: Int
    var receipt: String?
    var wrappingKey: String?
    var referenceChecksum: String?
    var downloadURL: URL?
}

/// A record, as requests and responses have it.
struct CloudRecord: Codable, Sendable {
    var recordName: String?
    var recordType: String?
    /// The version of the record. An `update` needs it.
    var recordChangeTag: String?
    var fields: [String: FieldValue]?
    /// True for what is gone, in lists of changes and results of deletions.
    var deleted: Bool?
}

/// One operation of `records/modify`.
struct RecordOperation: Encodable, Sendable {
    /// `create`, `update`, `forceUpdate`, `replace`, `forceReplace`, `delete` or `forceDelete`.
    var operationType: String
    var record: CloudRecord
}

/// A zone, in requests and responses.
struct ZoneID: Codable, Hashable, Sendable {
    var zoneName: String
}

/// The error of a request, or of one item of a list.
struct CloudError: Error, Decodable, Sendable, CustomStringConvertible {
    /// Such as `CONFLICT`.
    var serverErrorCode: String
    var reason: String
    /// Seconds. Without it, sending the request again does not help.
    var retryAfter: Int?
    /// The sign-in page, with `AUTHENTICATION_REQUIRED`.
    var redirectURL: URL?

    var description: String { "\(serverErrorCode): \(reason)" }
}

/// An item of a list in a response: a value, or an error instead of it.
struct Item<Value: Decodable & Sendable>: Decodable, Sendable {
    private let result: Result<Value, CloudError>

    init(from decoder: any Decoder) throws {
        // Only errors have a `serverErrorCode`.
        if let error = try? CloudError(from: decoder) {
            result = .failure(error)
        } else {
            result = .success(try Value(from: decoder))
        }
    }

    func get() throws -> Value { try result.get() }
}

/// The type of a field (CloudKit Web Services Reference, "Record Field Dictionary").
///
/// Raw values are part of the storage format and never change. The raw value of a list type is the raw value of its
/// element type plus 16.
public enum FieldType: UInt8, Hashable, Sendable, CaseIterable {
    /// A UTF-8 string.
    case string = 1
    /// A signed 64-bit integer.
    case int64 = 2
    /// A finite 64-bit floating-point number.
    case double = 3
    /// A date: milliseconds since 1970-01-01 UTC.
    case timestamp = 4
    /// Bytes, as base64 in JSON.
    case bytes = 5
    /// A reference to a record: ``Reference``.
    case reference = 6
    /// A file: ``Asset``.
    case asset = 7
    /// A geographic location: ``Location``.
    case location = 8
    /// A list of strings.
    case stringList = 17
    /// A list of integers.
    case int64List = 18
    /// A list of floating-point numbers.
    case doubleList = 19
    /// A list of dates.
    case timestampList = 20
    /// A list of byte strings.
    case bytesList = 21
    /// A list of references.
    case referenceList = 22
    /// A list of assets.
    case assetList = 23
    /// A list of locations.
    case locationList = 24

    /// Whether the values are lists.
    @inlinable
    public var isList: Bool { rawValue > 16 }

    /// The element type of a list type; a scalar type itself.
    public var element: FieldType {
        isList ? (FieldType(rawValue: rawValue - 16) ?? self) : self
    }

    /// The list type of a scalar type; a list type itself.
    public var list: FieldType {
        isList ? self : (FieldType(rawValue: rawValue + 16) ?? self)
    }

    /// The type to which a field of this type can be widened. An INT64 field can become DOUBLE if each value equals a
    /// DOUBLE.
    public var widened: FieldType? {
        switch self {
        case .int64: .double
        case .int64List: .doubleList
        default: nil
        }
    }

    /// Returns whether a value stored with this type is valid in a field of another type. The types must be equal, or
    /// the field must have been widened from this type to the other.
    package func stands(in field: FieldType) -> Bool {
        self == field || widened == field
    }

    /// The `type` tag of values in responses. The tag of an asset is `ASSETID`, as in responses of CloudKit's live
    /// service.
    public var tag: StaticString {
        switch self {
        case .string: "STRING"
        case .int64: "INT64"
        case .double: "DOUBLE"
        case .timestamp: "TIMESTAMP"
        case .bytes: "BYTES"
        case .reference: "REFERENCE"
        case .asset: "ASSETID"
        case .location: "LOCATION"
        case .stringList: "STRING_LIST"
        case .int64List: "INT64_LIST"
        case .doubleList: "DOUBLE_LIST"
        case .timestampList: "TIMESTAMP_LIST"
        case .bytesList: "BYTES_LIST"
        case .referenceList: "REFERENCE_LIST"
        case .assetList: "ASSETID_LIST"
        case .locationList: "LOCATION_LIST"
        }
    }

    /// The name of the type in schemas and error messages: `ASSET` for assets, the tag for all other types.
    public var schemaName: String {
        switch self {
        case .asset: "ASSET"
        case .assetList: "ASSET_LIST"
        default: tag.description
        }
    }

    /// A sentence that lists all types, for error messages.
    public static let rule =
        "The types are " + allCases.filter { !$0.isList }.map(\.schemaName).joined(separator: ", ")
        + ", and lists of them such as STRING_LIST"

    /// Parses a tag that a client sends: any tag of responses, `ASSET` or `ASSET_LIST`.
    public init?(tag: String) {
        guard let type = Self.byTag[tag] else { return nil }
        self = type
    }

    private static let byTag: [String: FieldType] = {
        var table: [String: FieldType] = [:]
        for type in FieldType.allCases {
            table[type.tag.description] = type
            table[type.schemaName] = type
        }
        return table
    }()
}

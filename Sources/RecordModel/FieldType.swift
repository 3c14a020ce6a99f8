/// The type of a field (CloudKit Web Services Reference, "Record Field Dictionary").
///
/// Raw values are part of the storage format and never change: a list is its element's value plus 16.
public enum FieldType: UInt8, Hashable, Sendable, CaseIterable {
    /// A text in UTF-8.
    case string = 1
    /// A whole number of 64 bits, with a sign.
    case int64 = 2
    /// A number with a fraction, of 64 bits and finite.
    case double = 3
    /// Milliseconds since 1970-01-01 UTC.
    case timestamp = 4
    /// Bytes, in JSON as base64.
    case bytes = 5
    /// A pointer to a record: ``Reference``.
    case reference = 6
    /// A file: ``Asset``.
    case asset = 7
    /// A place: ``Location``.
    case location = 8
    /// A list of texts.
    case stringList = 17
    /// A list of whole numbers.
    case int64List = 18
    /// A list of numbers with fractions.
    case doubleList = 19
    /// A list of moments.
    case timestampList = 20
    /// A list of byte strings.
    case bytesList = 21
    /// A list of references.
    case referenceList = 22
    /// A list of files.
    case assetList = 23
    /// A list of places.
    case locationList = 24

    /// Whether its values are lists.
    @inlinable
    public var isList: Bool { rawValue > 16 }

    /// The type of the members of a list; a scalar is its own element.
    public var element: FieldType {
        isList ? (FieldType(rawValue: rawValue - 16) ?? self) : self
    }

    /// The list of this scalar; a list is itself.
    public var list: FieldType {
        isList ? self : (FieldType(rawValue: rawValue + 16) ?? self)
    }

    /// The type that a field of this one may become, if all of its values are found in it: INT64 is widened to DOUBLE.
    public var widened: FieldType? {
        switch self {
        case .int64: .double
        case .int64List: .doubleList
        default: nil
        }
    }

    /// Whether a value that was stored with this type may stand in a field of another: one from before it was widened.
    package func stands(in field: FieldType) -> Bool {
        self == field || widened == field
    }

    /// The `type` tag that answers carry. An asset's is `ASSETID`, as CloudKit's live service sends it.
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

    /// The name that the schema and error sentences use: the tag, but `ASSET`.
    public var schemaName: String {
        switch self {
        case .asset: "ASSET"
        case .assetList: "ASSET_LIST"
        default: tag.description
        }
    }

    /// All types, for errors.
    public static let rule =
        "The types are " + allCases.filter { !$0.isList }.map(\.schemaName).joined(separator: ", ")
        + ", and lists of them such as STRING_LIST"

    /// Reads a tag as clients send it: the tags of answers, and `ASSET`, `ASSET_LIST`.
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

/// A value of a field, decoded. The record path works on the stored form (`StoredFields` in `RecordWire`) and decodes a
/// value only where it must be understood: field operations, references, indexes, clients.
public enum FieldValue: Hashable, Sendable {
    /// A text.
    case string(String)
    /// A whole number.
    case int64(Int64)
    /// Always finite.
    case double(Double)
    /// Milliseconds since 1970-01-01 UTC.
    case timestamp(Int64)
    /// Bytes.
    case bytes([UInt8])
    /// A pointer to a record.
    case reference(Reference)
    /// A file.
    case asset(Asset)
    /// A place.
    case location(Location)
    /// A list of scalars that are all of type `element`.
    case list(element: FieldType, [FieldValue])

    /// The type of a field that takes the value.
    public var type: FieldType {
        switch self {
        case .string: .string
        case .int64: .int64
        case .double: .double
        case .timestamp: .timestamp
        case .bytes: .bytes
        case .reference: .reference
        case .asset: .asset
        case .location: .location
        case .list(let element, _): element.list
        }
    }
}

/// A pointer to a record of the same zone (CloudKit reference, "Reference Dictionary").
public struct Reference: Hashable, Sendable, Codable {
    /// The name of the record that is pointed to.
    public var recordName: RecordName
    /// What its deletion means for the record that holds the reference.
    public var action: ReferenceAction

    /// A pointer to a record, which `validate` alone requires to exist.
    public init(recordName: RecordName, action: ReferenceAction = .none) {
        self.recordName = recordName
        self.action = action
    }
}

/// What the deletion of a reference's target means for the record that holds the reference.
///
/// Raw values are part of the storage format.
public enum ReferenceAction: UInt8, Hashable, Sendable, Codable, CaseIterable {
    /// Nothing.
    case none = 0
    /// The holder is deleted too, recursively.
    case deleteSelf = 1
    /// The target must exist when the reference is written and cannot be deleted while the reference stands.
    case validate = 2

    /// The word for it in JSON, CloudKit's (`NONE`, `DELETE_SELF`, `VALIDATE`).
    public var text: StaticString {
        switch self {
        case .none: "NONE"
        case .deleteSelf: "DELETE_SELF"
        case .validate: "VALIDATE"
        }
    }

    /// Reads the word for it in JSON; `nil` if it is none.
    public init?(text: String) {
        guard let match = Self.allCases.first(where: { $0.text.description == text }) else { return nil }
        self = match
    }
}

/// The value form of an asset; its bytes live in the asset store.
public struct Asset: Hashable, Sendable, Codable {
    /// The SHA-256 of the bytes in base64.
    public var fileChecksum: String
    /// The length in bytes.
    public var size: Int64
    /// Proof of an upload; present in writes only and never stored.
    public var receipt: String?
    /// The media type that the uploader has given, such as `image/jpeg`.
    public var contentType: String?
    /// The name that the uploader has given, for whoever saves the file.
    public var filename: String?
    /// What the server read from the header of a picture.
    public var picture: AssetPicture?
    /// Where the bytes can be read for a while; present in a client's view of answers only.
    public var downloadURL: String?

    /// A file that a server knows. What apps save comes from an upload, with a receipt.
    public init(
        fileChecksum: String, size: Int64, receipt: String? = nil, contentType: String? = nil, filename: String? = nil,
        picture: AssetPicture? = nil
    ) {
        self.fileChecksum = fileChecksum
        self.size = size
        self.receipt = receipt
        self.contentType = contentType
        self.filename = filename
        self.picture = picture
    }
}

/// The measures of a picture, as its file has them: the orientations 5 to 8 swap width and height.
public struct AssetPicture: Hashable, Sendable, Codable {
    /// In pixels.
    public var width: Int64
    /// In pixels.
    public var height: Int64
    /// How the picture is to be turned, 1 to 8 (EXIF 2.32, tag 0x0112); 1 is upright.
    public var orientation: Int64

    /// The measures of a picture, in pixels, and how it is to be turned.
    public init(width: Int64, height: Int64, orientation: Int64) {
        self.width = width
        self.height = height
        self.orientation = orientation
    }
}

/// A place on Earth (CloudKit reference, "Location Dictionary"). Degrees, metres, metres per second.
public struct Location: Hashable, Sendable, Codable {
    /// -90 to 90.
    public var latitude: Double
    /// -180 to 180.
    public var longitude: Double
    /// How far off the place may be, in metres.
    public var horizontalAccuracy: Double?
    /// How far off the height may be, in metres.
    public var verticalAccuracy: Double?
    /// The height above the sea, in metres.
    public var altitude: Double?
    /// How fast whatever is there moves, in metres a second.
    public var speed: Double?
    /// Where it moves to, in degrees clockwise from north.
    public var course: Double?
    /// Milliseconds since 1970-01-01 UTC.
    public var timestamp: Int64?

    /// A place by its degrees.
    public init(latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
    }
}

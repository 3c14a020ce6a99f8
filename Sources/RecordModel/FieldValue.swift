/// A decoded field value.
///
/// Reads and writes of records use the stored form (`StoredFields` in `RecordWire`). The server decodes values only for
/// field operations, references and indexes. Clients decode values too.
public enum FieldValue: Hashable, Sendable {
    /// A string.
    case string(String)
    /// A signed 64-bit integer.
    case int64(Int64)
    /// A finite floating-point number.
    case double(Double)
    /// Milliseconds since 1970-01-01 UTC.
    case timestamp(Int64)
    /// Bytes.
    case bytes([UInt8])
    /// A reference to a record.
    case reference(Reference)
    /// A file.
    case asset(Asset)
    /// A geographic location.
    case location(Location)
    /// A list of scalars, all of the type `element`.
    case list(element: FieldType, [FieldValue])

    /// The field type that this value belongs to.
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

/// A reference to a record of the same zone (CloudKit reference, "Reference Dictionary").
public struct Reference: Hashable, Sendable, Codable {
    /// The name of the target record.
    public var recordName: RecordName
    /// The effect on this record when the target is deleted.
    public var action: ReferenceAction

    /// Creates a reference to a record. The target need not exist unless the action is `validate`.
    public init(recordName: RecordName, action: ReferenceAction = .none) {
        self.recordName = recordName
        self.action = action
    }
}

/// The effect on a record when the target of its reference is deleted.
///
/// Raw values are part of the storage format.
public enum ReferenceAction: UInt8, Hashable, Sendable, Codable, CaseIterable {
    /// Deleting the target has no effect.
    case none = 0
    /// The record with the reference is deleted too. The deletion continues recursively.
    case deleteSelf = 1
    /// The target must exist when the reference is written, and cannot be deleted while the reference exists.
    case validate = 2

    /// The word in JSON: `NONE`, `DELETE_SELF` or `VALIDATE`, as in CloudKit.
    public var text: StaticString {
        switch self {
        case .none: "NONE"
        case .deleteSelf: "DELETE_SELF"
        case .validate: "VALIDATE"
        }
    }

    /// Parses the word in JSON. The result is `nil` for any other text.
    public init?(text: String) {
        guard let match = Self.allCases.first(where: { $0.text.description == text }) else { return nil }
        self = match
    }
}

/// The field value of an asset. The asset store contains the bytes themselves.
public struct Asset: Hashable, Sendable, Codable {
    /// The SHA-256 checksum of the bytes, in base64.
    public var fileChecksum: String
    /// The length of the asset in bytes.
    public var size: Int64
    /// The upload token, which proves that the client uploaded the bytes. Only writes contain the token, and the server
    /// never stores it.
    public var receipt: String?
    /// The media type that the uploader gave, such as `image/jpeg`.
    public var contentType: String?
    /// The file name that the uploader gave, for saving a download.
    public var filename: String?
    /// The dimensions and orientation of a picture, which the server read from the file's header.
    public var picture: AssetPicture?
    /// A URL from which the bytes can be downloaded for a limited time. Only values that a client received have a URL.
    public var downloadURL: String?

    /// Creates an asset value as the server returns it. An app cannot save such a value. To save an asset, use the
    /// value that an upload returned, which contains an upload token.
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

/// The dimensions of a picture as stored in its file. The orientations 5 to 8 swap width and height.
public struct AssetPicture: Hashable, Sendable, Codable {
    /// The width in pixels.
    public var width: Int64
    /// The height in pixels.
    public var height: Int64
    /// The rotation or mirroring for display, 1 to 8 (EXIF 2.32, tag 0x0112); 1 is upright.
    public var orientation: Int64

    /// Creates dimensions in pixels with an orientation.
    public init(width: Int64, height: Int64, orientation: Int64) {
        self.width = width
        self.height = height
        self.orientation = orientation
    }
}

/// A geographic location (CloudKit reference, "Location Dictionary"), in degrees, meters and meters per second.
public struct Location: Hashable, Sendable, Codable {
    /// The latitude in degrees, -90 to 90.
    public var latitude: Double
    /// The longitude in degrees, -180 to 180.
    public var longitude: Double
    /// The horizontal uncertainty, in meters.
    public var horizontalAccuracy: Double?
    /// The vertical uncertainty, in meters.
    public var verticalAccuracy: Double?
    /// The altitude above sea level, in meters.
    public var altitude: Double?
    /// The speed, in meters per second.
    public var speed: Double?
    /// The direction of travel, in degrees clockwise from north.
    public var course: Double?
    /// The time of the measurement, in milliseconds since 1970-01-01 UTC.
    public var timestamp: Int64?

    /// Creates a location with latitude and longitude only.
    public init(latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
    }
}

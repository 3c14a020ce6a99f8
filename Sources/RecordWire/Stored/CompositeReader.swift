import Encodings
import RecordModel

/// Reads field values that are JSON objects. All functions throw `ValueMismatch`.
enum CompositeReader {
    /// The treatment of unknown keys in an object.
    enum UnknownKeys {
        /// Rejects unknown keys, for values to store, so that no data is lost silently.
        case rejected
        /// Ignores unknown keys, for responses. A later server version may have added them.
        case ignored
    }

    /// Reads a reference (CloudKit reference, "Reference Dictionary"). An absent action is NONE. References stay within
    /// a zone, so they are stored without it; see `requireZone`.
    static func reference(
        _ token: JSONToken, of reader: JSONReader, unknownKeys: UnknownKeys = .rejected
    ) throws(ValueMismatch) -> Reference {
        var name: RecordName?
        var action = ReferenceAction.none
        try forEachMember(token, of: reader) { key, value throws(ValueMismatch) in
            if reader.string(key, is: "recordName") {
                guard value.isString else { throw ValueMismatch(value) }
                name = RecordName(reader.string(value))
                if name == nil { throw ValueMismatch("string that is no record name", at: value.start) }
            } else if reader.string(key, is: "action") {
                guard value.isString else { throw ValueMismatch(value) }
                guard let known = ReferenceAction(text: reader.string(value)) else {
                    throw ValueMismatch("action that is not NONE, DELETE_SELF or VALIDATE", at: value.start)
                }
                action = known
            } else if reader.string(key, is: "zoneID") {
                guard ZoneReader.read(value, of: reader) != nil else {
                    throw ValueMismatch("zoneID that names no zone", at: value.start)
                }
            } else if unknownKeys == .rejected {
                throw unknown(key, of: reader)
            }
        }
        guard let name else { throw ValueMismatch("object without recordName", at: token.start) }
        return Reference(recordName: name, action: action)
    }

    /// Checks that a reference in a request names no other zone than that of its record.
    static func requireZone(_ zone: ZoneName, of token: JSONToken, in reader: JSONReader) throws(ValueMismatch) {
        guard token.kind == .object else { return }
        try forEachMember(token, of: reader) { key, value throws(ValueMismatch) in
            guard reader.string(key, is: "zoneID"), case .some(.some(let named)) = ZoneReader.read(value, of: reader),
                named != zone
            else { return }
            throw ValueMismatch("reference to another zone", at: value.start)
        }
    }

    /// Reads an asset (CloudKit reference, "Asset Dictionary"). The checksum is the SHA-256 of the bytes.
    static func asset(
        _ token: JSONToken, of reader: JSONReader, unknownKeys: UnknownKeys = .rejected
    ) throws(ValueMismatch) -> Asset {
        var checksum: String?
        var size: Int64?
        var width: Int64?
        var height: Int64?
        var orientation: Int64?
        var asset = Asset(fileChecksum: "", size: 0)
        try forEachMember(token, of: reader) { key, value throws(ValueMismatch) in
            if reader.string(key, is: "fileChecksum") {
                let text = try string(value, of: reader)
                guard Base64.decode(text)?.count == 32 else {
                    throw ValueMismatch("fileChecksum that is not 32 bytes in base64", at: value.start)
                }
                checksum = text
            } else if reader.string(key, is: "size") {
                let number = try CanonicalValue.integer(value, of: reader)
                if number < 0 { throw ValueMismatch("negative size", at: value.start) }
                size = number
            } else if reader.string(key, is: "receipt") {
                asset.receipt = try string(value, of: reader)
            } else if reader.string(key, is: "contentType") {
                asset.contentType = try string(value, of: reader)
            } else if reader.string(key, is: "filename") {
                asset.filename = try string(value, of: reader)
            } else if reader.string(key, is: "width") {
                width = try measure(value, of: reader)
            } else if reader.string(key, is: "height") {
                height = try measure(value, of: reader)
            } else if reader.string(key, is: "orientation") {
                orientation = try measure(value, of: reader)
            } else if reader.string(key, is: "downloadURL") || reader.string(key, is: "wrappingKey")
                || reader.string(key, is: "referenceChecksum")
            {
                // Responses and the encryption of other servers contain these keys, and clients send them back. They
                // are ignored.
                _ = try string(value, of: reader)
            } else if unknownKeys == .rejected {
                throw unknown(key, of: reader)
            }
        }
        guard let checksum, let size else {
            throw ValueMismatch("object without fileChecksum or size", at: token.start)
        }
        asset.fileChecksum = checksum
        asset.size = size
        if let width, let height {
            asset.picture = AssetPicture(width: width, height: height, orientation: orientation ?? 1)
        }
        return asset
    }

    private static func measure(_ token: JSONToken, of reader: JSONReader) throws(ValueMismatch) -> Int64 {
        let number = try CanonicalValue.integer(token, of: reader)
        if number < 1 { throw ValueMismatch("measure of a picture below 1", at: token.start) }
        return number
    }

    /// Reads a location (CloudKit reference, "Location Dictionary").
    static func location(
        _ token: JSONToken, of reader: JSONReader, unknownKeys: UnknownKeys = .rejected
    ) throws(ValueMismatch) -> Location {
        var latitude: Double?
        var longitude: Double?
        var location = Location(latitude: 0, longitude: 0)
        try forEachMember(token, of: reader) { key, value throws(ValueMismatch) in
            if reader.string(key, is: "latitude") {
                latitude = try degrees(value, of: reader, limit: 90, "latitude outside -90 to 90")
            } else if reader.string(key, is: "longitude") {
                longitude = try degrees(value, of: reader, limit: 180, "longitude outside -180 to 180")
            } else if reader.string(key, is: "horizontalAccuracy") {
                location.horizontalAccuracy = try CanonicalValue.double(value, of: reader)
            } else if reader.string(key, is: "verticalAccuracy") {
                location.verticalAccuracy = try CanonicalValue.double(value, of: reader)
            } else if reader.string(key, is: "altitude") {
                location.altitude = try CanonicalValue.double(value, of: reader)
            } else if reader.string(key, is: "speed") {
                location.speed = try CanonicalValue.double(value, of: reader)
            } else if reader.string(key, is: "course") {
                location.course = try CanonicalValue.double(value, of: reader)
            } else if reader.string(key, is: "timestamp") {
                location.timestamp = try CanonicalValue.timestamp(value, of: reader)
            } else if unknownKeys == .rejected {
                throw unknown(key, of: reader)
            }
        }
        guard let latitude, let longitude else {
            throw ValueMismatch("object without latitude or longitude", at: token.start)
        }
        location.latitude = latitude
        location.longitude = longitude
        return location
    }

    /// Calls `body` with each member of an object whose value is not null.
    private static func forEachMember(
        _ token: JSONToken, of reader: JSONReader, _ body: (JSONToken, JSONToken) throws(ValueMismatch) -> Void
    ) throws(ValueMismatch) {
        guard token.kind == .object else { throw ValueMismatch(token) }
        var members = JSONReader(reader.bytes, at: token)
        var keys = JSONKeySet()
        do throws(JSONError) {
            try members.enter()
        } catch { throw ValueMismatch(token) }
        while true {
            let key: JSONToken
            let value: JSONToken
            do throws(JSONError) {
                guard let found = try members.nextKey(&keys) else { return }
                key = found
                value = try members.value()
            } catch { throw ValueMismatch(token) }
            if value.kind != .null { try body(key, value) }
        }
    }

    private static func string(_ token: JSONToken, of reader: JSONReader) throws(ValueMismatch) -> String {
        guard token.isString else { throw ValueMismatch(token) }
        return reader.string(token)
    }

    private static func degrees(
        _ token: JSONToken, of reader: JSONReader, limit: Double, _ problem: String
    ) throws(ValueMismatch) -> Double {
        let number = try CanonicalValue.double(token, of: reader)
        guard number.magnitude <= limit else { throw ValueMismatch(problem, at: token.start) }
        return number
    }

    private static func unknown(_ key: JSONToken, of reader: JSONReader) -> ValueMismatch {
        ValueMismatch("object with the unknown key '\(reader.string(key).prefix(64))'", at: key.start)
    }
}

/// Reads zone dictionaries: `{"zoneName","ownerRecordName"?}` (CloudKit reference, "Zone ID Dictionary").
enum ZoneReader {
    /// Reads a zone dictionary, or null.
    ///
    /// - Returns: The name; an inner `nil` for null and for a dictionary without a name. An outer `nil` for anything
    ///   else, and for an invalid name.
    static func read(_ token: JSONToken, of reader: JSONReader) -> ZoneName?? {
        if token.kind == .null { return .some(nil) }
        guard token.kind == .object else { return nil }
        var members = JSONReader(reader.bytes, at: token)
        guard case .object(let zone)? = try? JSONValue.read(&members) else { return nil }
        guard let name = zone["zoneName"], !name.isNull else { return .some(nil) }
        guard let text = name.string, let zone = ZoneName(text) else { return nil }
        return .some(zone)
    }
}

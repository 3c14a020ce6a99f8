package import RecordModel
import Encodings

extension CanonicalValue {
    /// Appends the canonical text of a value. The text does not contain the upload token of an asset.
    package static func append(_ value: FieldValue, to text: inout [UInt8]) {
        switch value {
        case .string(let string): text.appendString(string)
        case .int64(let integer), .timestamp(let integer): text.appendInteger(integer)
        case .double(let double): text.appendDouble(double)
        case .bytes(let bytes):
            text.append(UInt8(ascii: "\""))
            Base64.encode(bytes, into: &text)
            text.append(UInt8(ascii: "\""))
        case .reference(let reference):
            text.appendLiteral("{\"recordName\":")
            text.appendString(reference.recordName.text)
            text.appendLiteral(",\"action\":\"")
            text.appendLiteral(reference.action.text)
            text.appendLiteral("\"}")
        case .asset(let asset):
            text.appendLiteral("{\"fileChecksum\":")
            text.appendString(asset.fileChecksum)
            text.appendLiteral(",\"size\":")
            text.appendInteger(asset.size)
            if let contentType = asset.contentType {
                text.appendLiteral(",\"contentType\":")
                text.appendString(contentType)
            }
            if let filename = asset.filename {
                text.appendLiteral(",\"filename\":")
                text.appendString(filename)
            }
            if let picture = asset.picture {
                text.appendLiteral(",\"width\":")
                text.appendInteger(picture.width)
                text.appendLiteral(",\"height\":")
                text.appendInteger(picture.height)
                text.appendLiteral(",\"orientation\":")
                text.appendInteger(picture.orientation)
            }
            text.append(UInt8(ascii: "}"))
        case .location(let location): _ = append(location, to: &text)
        case .list(_, let members):
            text.append(UInt8(ascii: "["))
            for (index, member) in members.enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                append(member, to: &text)
            }
            text.append(UInt8(ascii: "]"))
        }
    }

    /// Appends a location.
    ///
    /// - Returns: The decoded size.
    static func append(_ location: Location, to text: inout [UInt8]) -> Int {
        var size = 16
        text.appendLiteral("{\"latitude\":")
        text.appendDouble(location.latitude)
        text.appendLiteral(",\"longitude\":")
        text.appendDouble(location.longitude)
        for (key, number) in [
            (",\"horizontalAccuracy\":" as StaticString, location.horizontalAccuracy),
            (",\"verticalAccuracy\":", location.verticalAccuracy), (",\"altitude\":", location.altitude),
            (",\"speed\":", location.speed), (",\"course\":", location.course),
        ] {
            guard let number else { continue }
            text.appendLiteral(key)
            text.appendDouble(number)
            size += 8
        }
        if let timestamp = location.timestamp {
            text.appendLiteral(",\"timestamp\":")
            text.appendInteger(timestamp)
            size += 8
        }
        text.append(UInt8(ascii: "}"))
        return size
    }

    /// Appends the text before the value of an entry: `"name":{"value":`. Field names need no escaping.
    @inline(__always)
    static func appendEntryHead(_ name: String, to text: inout [UInt8]) {
        text.append(UInt8(ascii: "\""))
        var copy = name
        copy.withUTF8 { text.appendBytes(UnsafeRawBufferPointer($0)) }
        text.appendLiteral("\":{\"value\":")
    }
}

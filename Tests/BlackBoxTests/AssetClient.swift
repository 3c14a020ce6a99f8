import Cryptography
import Foundation
import RecordWire
import TestSupport
import Testing

extension HTTPClient {
    /// Uploads a file; returns the value for a record, with its receipt.
    func upload(_ bytes: [UInt8], type: String = "application/octet-stream") throws -> Response {
        try send("POST", "/assets", bytes: bytes, type: type, token: ServerProcess.administratorToken)
    }

    /// Writes an uploaded value into the field `file` of a record.
    func link(_ upload: Response, to name: String) throws -> Response {
        // The response is `{"asset":{…}}`, and the object is the field's value.
        let value = upload.text.dropFirst(#"{"asset":"#.count).dropLast()
        return try send(
            "PUT", "/records/File/\(name)", #"{"fields":{"file":\#(value)}}"#, token: ServerProcess.administratorToken)
    }

    /// Deletes a record whether or not it exists.
    func delete(_ name: String) throws -> Response {
        try send("DELETE", "/records/File/\(name)", token: ServerProcess.administratorToken)
    }

    func download(_ name: String) throws -> Response {
        try send("GET", "/records/File/\(name)/file", token: ServerProcess.administratorToken)
    }
}

/// The files below `assets/` of the default database of a server.
struct AssetFiles {
    let server: ServerProcess

    /// Relative paths, those of smaller pictures left out.
    var names: [String] {
        let directory = server.data + "/iCloud.fogbase.default/development/assets"
        return (FileManager.default.enumerator(atPath: directory)?.allObjects as? [String] ?? []).filter { name in
            var isDirectory: ObjCBool = false
            return FileManager.default.fileExists(atPath: directory + "/" + name, isDirectory: &isDirectory)
                && !isDirectory.boolValue && !name.hasPrefix("thumbnails")
        }
    }

    /// Polls the server until no files are left, or a timeout.
    func becomeEmpty() throws -> Bool { try become { $0.isEmpty } }

    func become(_ isReached: ([String]) -> Bool) throws -> Bool {
        let client = try HTTPClient(port: server.port)
        let deadline = Date().addingTimeInterval(60)
        while Date() < deadline {
            if isReached(names) { return true }
            _ = try client.send("GET", "/health/live")
        }
        return false
    }
}

/// Content that contains its number.
func sampleContent(_ number: Int, count: Int) -> [UInt8] {
    var state = UInt64(truncatingIfNeeded: number) &* 0x9E37_79B9_7F4A_7C15 &+ 7
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
        // A plain loop: these tests are not optimized, and some files have many megabytes.
        while initialized < count {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            buffer[initialized] = UInt8(truncatingIfNeeded: state >> 40)
            initialized += 1
        }
    }
}

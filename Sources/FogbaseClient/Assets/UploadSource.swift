internal import Foundation

/// The source of the bytes of an upload.
enum UploadSource: Sendable {
    case data(Data)
    case file(URL)

    /// Returns the number of bytes.
    ///
    /// - Throws: `FogbaseError.invalidArgument` if the file cannot be read.
    func length() throws -> Int64 {
        switch self {
        case .data(let data): Int64(data.count)
        case .file(let file): try Self.reading(file) { Int64(try $0.seekToEnd()) }
        }
    }

    /// Reads one part into memory.
    ///
    /// - Throws: `FogbaseError.invalidArgument` if the file cannot be read or has become shorter.
    func part(at offset: Int64, count: Int) throws -> Data {
        switch self {
        case .data(let data):
            let start = data.startIndex + Int(offset)
            return data.subdata(in: start..<start + count)
        case .file(let file):
            let part = try Self.reading(file) { handle in
                try handle.seek(toOffset: UInt64(offset))
                return try handle.read(upToCount: count) ?? Data()
            }
            guard part.count == count else {
                throw FogbaseError.invalidArgument("'\(file.path)' has become shorter while it was uploaded")
            }
            return part
        }
    }

    private static func reading<Value>(_ file: URL, _ body: (FileHandle) throws -> Value) throws -> Value {
        do {
            let handle = try FileHandle(forReadingFrom: file)
            defer { try? handle.close() }
            return try body(handle)
        } catch {
            throw FogbaseError.invalidArgument("'\(file.path)' cannot be read: \(error.localizedDescription)")
        }
    }
}

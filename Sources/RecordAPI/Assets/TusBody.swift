internal import HTTP

/// The body of a part of an upload, in pieces that are worth a thread's while. What has come before a body breaks off is
/// a piece as well: a client on a bad line must get ahead, however small its steps are.
final class TusBody {
    private let body: HTTPRequestBody
    private var isTaken = false
    private var failure: HTTPBodyError?

    init(_ body: HTTPRequestBody) {
        self.body = body
    }

    func next() async throws -> [UInt8]? {
        switch body {
        case .empty: return nil
        case .bytes(let bytes):
            if isTaken || bytes.isEmpty { return nil }
            isTaken = true
            return bytes
        case .stream(let reader): return try await gather(reader)
        }
    }

    /// What is worth a change of threads.
    private static let pieceBytes = 128 << 10

    private func gather(_ reader: any HTTPBodyReader) async throws(HTTPBodyError) -> [UInt8]? {
        if let failure { throw failure }
        var gathered: [UInt8] = []
        do throws(HTTPBodyError) {
            while gathered.count < Self.pieceBytes, let piece = try await reader.next() {
                if gathered.isEmpty { gathered = piece } else { gathered += piece }
            }
        } catch {
            guard !gathered.isEmpty else { throw error }
            failure = error
        }
        return gathered.isEmpty ? nil : gathered
    }
}

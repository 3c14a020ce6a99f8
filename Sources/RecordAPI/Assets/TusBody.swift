internal import HTTP

/// The body of one request of a resumable upload. Its pieces are large enough that handing each to another thread is
/// worthwhile. If the body is interrupted, the bytes received so far form a last piece: a client on a bad connection
/// must make progress, however small.
final class TusBody {
    private let body: HTTPRequestBody
    private let sender: TransferSender
    private var isTaken = false
    private var failure: HTTPBodyError?

    /// - Parameter sender: The sender, which must stay authenticated.
    init(_ body: HTTPRequestBody, from sender: TransferSender) {
        self.body = body
        self.sender = sender
    }

    func next() async throws -> [UInt8]? {
        switch body {
        case .empty: return nil
        case .bytes(let bytes):
            if isTaken || bytes.isEmpty { return nil }
            isTaken = true
            return bytes
        case .stream(let reader):
            let piece = try await gather(reader)
            try await sender.check()
            return piece
        }
    }

    /// The size of a piece in bytes. It makes handing each piece to another thread worthwhile.
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

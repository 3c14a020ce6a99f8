import HTTP
import Threads

/// Writes a line to the log when a page wants to read a response and `cors.origins` does not list the page's origin. The
/// browser shows its author only that CORS blocked the request.
final class RejectedOrigins: Sendable {
    /// The maximum number of lines. Any client can send any Origin, so the log must not grow with them.
    static let limit = 20

    private let seen = Locked<Set<String>>([])
    private let own: String?
    private let write: @Sendable (String) -> Void

    /// - Parameters:
    ///   - own: The origin of `public.url`. A proxy may change the Host, by which the transport knows pages of this server.
    ///   - write: Writes a sentence to the log.
    init(own: String?, write: @escaping @Sendable (String) -> Void) {
        self.own = own
        self.write = write
    }

    /// Writes a line for the first request of each origin.
    func note(_ origin: String) {
        guard origin != own, seen.withLock({ $0.count < Self.limit && !$0.contains(origin) }),
            let sentence = Self.sentence(for: origin),
            let count = seen.withLock({ $0.insert(origin).inserted && $0.count <= Self.limit ? $0.count : nil })
        else { return }
        write(sentence)
        if count == Self.limit { write("Further origins that cors.origins does not list are not logged.") }
    }

    /// Returns `nil` for a text that no browser sends, so that a client cannot write a line of its own choice.
    private static func sentence(for origin: String) -> String? {
        if origin == "null" {
            return "A page without an origin was rejected: a local file or a sandboxed frame."
                + " Serve the page over HTTP, and add its origin to cors.origins"
        }
        guard origin.utf8.count <= 300, !origin.contains("*"), (try? CORSOrigin(origin))?.text == origin else {
            return nil
        }
        return "A page of \(origin) was rejected: cors.origins does not list this origin. Add it if the page is yours"
    }
}

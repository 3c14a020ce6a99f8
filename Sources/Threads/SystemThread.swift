import CLinux
import Glibc

/// Starts named threads, which nobody joins: whoever must know the end of one lets it say so.
package enum SystemThread {
    /// Starts a thread that runs `body`, then ends.
    ///
    /// - Parameter name: As tools like `top -H` show it; cut at 15 bytes.
    /// - Precondition: The system can make another thread. Without its threads the server cannot work at all.
    package static func start(name: String, _ body: @escaping @Sendable () -> Void) {
        let start = Unmanaged.passRetained(Start(name: name, body: body))
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
                fogbase_set_thread_name(start.name)
                start.body()
                return nil
            }, start.toOpaque())
        precondition(code == 0, "The system refuses another thread (errno \(code))")
        pthread_detach(thread)
    }

    /// Identifies the calling thread among those that are alive.
    package static var current: UInt {
        UInt(pthread_self())
    }

    private final class Start: Sendable {
        let name: String
        let body: @Sendable () -> Void

        init(name: String, body: @escaping @Sendable () -> Void) {
            var text = name
            while text.utf8.count > 15 { text.removeLast() }
            self.name = text
            self.body = body
        }
    }
}

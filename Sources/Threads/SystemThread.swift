import CLinux
import Glibc

/// Starts named threads, which nobody joins: whoever must know the end of one lets it say so.
package enum SystemThread {
    /// Starts a thread that runs `body`, then ends.
    ///
    /// - Parameters:
    ///   - name: As tools like `top -H` show it; cut at 15 bytes.
    ///   - niceness: Beyond the process's own, 0 to 19.
    /// - Precondition: The system can make another thread. Without its threads the server cannot work at all.
    package static func start(name: String, niceness: Int32 = 0, _ body: @escaping @Sendable () -> Void) {
        let start = Unmanaged.passRetained(Start(name: name, niceness: niceness, body: body))
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
                fogbase_set_thread_name(start.name)
                if start.niceness > 0 { fogbase_add_thread_niceness(start.niceness) }
                start.body()
                return nil
            }, start.toOpaque())
        precondition(code == 0, "The system refuses another thread (errno \(code))")
        pthread_detach(thread)
    }

    /// The niceness of threads whose work is long and serves one client: on a busy machine the loops, which serve all, and
    /// the writer get three times as much of a processor.
    package static let longWork: Int32 = 5

    /// Identifies the calling thread among those that are alive.
    package static var current: UInt {
        UInt(pthread_self())
    }

    private final class Start: Sendable {
        let name: String
        let niceness: Int32
        let body: @Sendable () -> Void

        init(name: String, niceness: Int32, body: @escaping @Sendable () -> Void) {
            var text = name
            while text.utf8.count > 15 { text.removeLast() }
            self.name = text
            self.niceness = niceness
            self.body = body
        }
    }
}

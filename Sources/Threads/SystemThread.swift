import CLinux
import Glibc

/// Starts named, detached threads.
package enum SystemThread {
    /// Starts a thread that runs `body` and then ends. The thread cannot be joined.
    ///
    /// - Parameters:
    ///   - name: The thread's name in tools like `top -H`; cut after 15 bytes.
    ///   - niceness: 0 to 19; added to the nice value of the process.
    /// - Precondition: The system can create another thread.
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
        precondition(code == 0, "The system cannot create another thread (errno \(code))")
        pthread_detach(thread)
    }

    /// The niceness for threads that do long work for one client. On a busy machine, the event loops and the writer
    /// then get about three times as much processor time as such a thread.
    package static let longWork: Int32 = 5

    /// The identifier of the calling thread, unique among the running threads.
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

import CLinux
import Glibc
import Threads

/// One run of the program, which can be killed from any thread.
final class ThumbnailProcess: Sendable {
    private enum State {
        case waiting
        case running(Int32)
        case over
        case killed
    }

    private let state = Locked<State>(.waiting)

    /// How a run ended.
    enum End: Hashable {
        /// The program ended by itself with this code; 256 and more: by the signal of this number above 256.
        case exited(Int32)
        case outOfTime
        case killed
        /// The program could not be started, for this `errno`.
        case notStarted(Int32)
    }

    /// Whether `kill` came before the end.
    var isKilled: Bool {
        state.withLock { if case .killed = $0 { true } else { false } }
    }

    /// Kills the program and what it started, or keeps it from starting. `run` returns soon after.
    func kill() {
        state.withLock { state in
            switch state {
            // Under the lock: as long as the state says so the process is not reaped, and its number nobody else's.
            case .running(let process): Glibc.kill(-process, SIGKILL)
            case .over: return
            case .waiting, .killed: break
            }
            state = .killed
        }
    }

    /// Runs the program to its end, and blocks the thread until then. On return the process is reaped.
    func run(
        _ program: String, arguments: [String], environment: [String], folder: String, input: Int32, output: Int32,
        limits: ThumbnailLimits
    ) -> End {
        guard !isKilled else { return .killed }
        let end = Deadline.after(limits.time)
        var process: Int32 = 0
        let code = withCStrings(arguments) { arguments in
            withCStrings(environment) { environment in
                program.withCString { program in
                    folder.withCString { folder in
                        var request = fogbase_program(
                            path: program, arguments: arguments, environment: environment, folder: folder,
                            input: input, output: output,
                            cpu_seconds: limits.time.clampedNanoseconds / 1_000_000_000 + 1,
                            memory_bytes: UInt64(limits.memoryBytes), file_bytes: UInt64(limits.outputBytes),
                            descriptors: 64, niceness: 10)
                        return fogbase_start_program(&request, &process)
                    }
                }
            }
        }
        guard code == 0 else { return .notStarted(code) }
        state.withLock { state in
            if case .killed = state { Glibc.kill(-process, SIGKILL) } else { state = .running(process) }
        }
        let milliseconds = Int32(clamping: end.remaining().clampedNanoseconds / 1_000_000 + 1)
        let isInTime = fogbase_await_program(process, milliseconds) != 0
        if !isInTime {
            Glibc.kill(-process, SIGKILL)
            _ = fogbase_await_program(process, -1)
        }
        let wasKilled = state.withLock { state in
            if case .killed = state { return true }
            state = .over
            return false
        }
        // What the program may have started and left behind; until the program is reaped, the group is its own.
        Glibc.kill(-process, SIGKILL)
        let status = fogbase_reap_program(process)
        if wasKilled { return .killed }
        // The limit on processor time speaks by a signal.
        if !isInTime || status == 256 + SIGXCPU { return .outOfTime }
        return .exited(status)
    }
}

/// Calls `body` with the strings as C wants them: pointers, the last one null.
private func withCStrings<Result>(
    _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
    var pointers: [UnsafeMutablePointer<CChar>?] = strings.map { strdup($0) }
    pointers.append(nil)
    defer { for pointer in pointers { free(pointer) } }
    return body(&pointers)
}

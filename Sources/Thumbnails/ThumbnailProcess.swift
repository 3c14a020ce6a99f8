import CLinux
import Glibc
import Threads

/// One run of the program. Any thread can kill the run.
final class ThumbnailProcess: Sendable {
    private enum State {
        case waiting
        case running(Int32)
        case over
        case killed
    }

    private let state = Locked<State>(.waiting)

    /// The result of a run.
    enum End: Hashable {
        /// The program exited with this code. If a signal ended the program, the code is 256 plus the signal's number.
        case exited(Int32)
        case outOfTime
        case killed
        /// The program could not be started, with this `errno`.
        case notStarted(Int32)
    }

    /// Whether `kill` was called before the run ended.
    var isKilled: Bool {
        state.withLock { if case .killed = $0 { true } else { false } }
    }

    /// Kills the program and its children. If the program is not running yet, prevents its start. `run` returns soon
    /// after.
    func kill() {
        state.withLock { state in
            switch state {
            // Holding the lock prevents the process from being reaped, so its number cannot belong to another process.
            case .running(let process): Glibc.kill(-process, SIGKILL)
            case .over: return
            case .waiting, .killed: break
            }
            state = .killed
        }
    }

    /// Runs the program and blocks the thread until the program ends. On return, the process has been reaped.
    func run(
        _ program: String, arguments: [String], environment: [String], directory: String, input: Int32, output: Int32,
        limits: ThumbnailLimits
    ) -> End {
        guard !isKilled else { return .killed }
        let end = Deadline.after(limits.time)
        var process: Int32 = 0
        let code = withCStrings(arguments) { arguments in
            withCStrings(environment) { environment in
                program.withCString { program in
                    directory.withCString { directory in
                        var request = fogbase_program(
                            path: program, arguments: arguments, environment: environment, directory: directory,
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
        // Kill remaining children of the program. Until the program is reaped, no other process group can have its
        // number.
        Glibc.kill(-process, SIGKILL)
        let status = fogbase_reap_program(process)
        if wasKilled { return .killed }
        // A process that exceeds the limit on processor time is ended by the signal SIGXCPU.
        if !isInTime || status == 256 + SIGXCPU { return .outOfTime }
        return .exited(status)
    }
}

/// Calls `body` with the strings as a null-terminated array of C strings.
private func withCStrings<Result>(
    _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
    var pointers: [UnsafeMutablePointer<CChar>?] = strings.map { strdup($0) }
    pointers.append(nil)
    defer { for pointer in pointers { free(pointer) } }
    return body(&pointers)
}

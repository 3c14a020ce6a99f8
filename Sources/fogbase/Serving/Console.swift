import Glibc
import HTTPTransport
import Threads

/// The files of the console. They are read in the background while the first requests are handled.
final class Console: Sendable {
    private let directory: String
    private let basePath: String
    private let loading = Locked<Task<StaticFiles?, Never>?>(nil)

    /// Finds the directory of the console. If there is none, returns `nil` and writes a line to the log.
    ///
    /// - Parameters:
    ///   - path: The configured path. If empty, the search covers the program's directory, the directory `share` of the
    ///     program's installation, and the working directory.
    ///   - basePath: The path of `public.url`, for redirects.
    init?(configured path: String, basePath: String = "") {
        let candidates = path.isEmpty ? Self.standardDirectories(program: Self.program) : [path]
        guard let directory = candidates.first(where: { access($0 + "/index.html", R_OK) == 0 }) else {
            Terminal.complain(
                "fogbase: The console is off: there is no index.html in \(candidates.joined(separator: " or "))."
                    + " Set its directory with --public.")
            return nil
        }
        self.directory = directory
        self.basePath = basePath
    }

    /// Starts to read the files, unless reading has already started.
    func load() {
        _ = task
    }

    /// The files of the console; `nil` until they are read, or if reading failed.
    var files: StaticFiles? {
        get async { await task.value }
    }

    private var task: Task<StaticFiles?, Never> {
        loading.withLock { loading in
            if let loading { return loading }
            let (directory, basePath) = (directory, basePath)
            let task = Task.detached { () -> StaticFiles? in
                do throws(StaticFiles.LoadError) {
                    return try StaticFiles(directory: directory, basePath: basePath)
                } catch {
                    Terminal.complain("fogbase: The console is off: \(Self.sentence(for: error))")
                    return nil
                }
            }
            loading = task
            return task
        }
    }

    private static func sentence(for error: StaticFiles.LoadError) -> String {
        switch error {
        case .unreadable(let path): "\(path) cannot be read."
        case .tooManyFiles(let limit): "there are more than \(limit) files."
        case .fileTooLarge(let path, let limit): "\(path) has more than \(ByteCount.showRounded(limit))."
        case .tooManyBytes(let limit): "the files have more than \(ByteCount.showRounded(limit)) together."
        }
    }

    /// The path of the running program; empty if it is not known.
    private static var program: String {
        var path = [CChar](repeating: 0, count: 4_096)
        let count = readlink("/proc/self/exe", &path, path.count - 1)
        return String(decoding: path.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The directories in which the console can be if none is configured, the first choice first.
    ///
    /// - Parameter program: The path of the program. For one in `/usr/bin`, the console of a package is in
    ///   `/usr/share/fogbase/public`.
    static func standardDirectories(program: String) -> [String] {
        guard let slash = program.lastIndex(of: "/") else { return ["./Public"] }
        let directory = String(program[..<slash])
        let shared = directory.hasSuffix("/bin") ? [String(directory.dropLast(3)) + "share/fogbase/public"] : []
        return [directory + "/Public"] + shared + ["./Public"]
    }
}

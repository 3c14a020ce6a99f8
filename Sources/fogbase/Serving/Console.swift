import Glibc
import HTTPTransport
import Threads

/// The console's files. They are read and compressed beside the first requests rather than before them.
final class Console: Sendable {
    private let folder: String
    private let basePath: String
    private let loading = Locked<Task<StaticFiles?, Never>?>(nil)

    /// Finds the folder; `nil`, with a line in the log, if there is none.
    ///
    /// - Parameters:
    ///   - path: From the configuration; empty to look beside the program and in the working folder.
    ///   - basePath: Of `public.url`, for redirections.
    init?(configured path: String, basePath: String = "") {
        let candidates = path.isEmpty ? Self.standardFolders : [path]
        guard let folder = candidates.first(where: { access($0 + "/index.html", R_OK) == 0 }) else {
            Terminal.complain(
                "fogbase: The console is off: there is no index.html in \(candidates.joined(separator: " or "))."
                    + " Set its directory with --public.")
            return nil
        }
        self.folder = folder
        self.basePath = basePath
    }

    /// Starts to read the files, if nobody has.
    func load() {
        _ = task
    }

    /// The files, as soon as they are read; `nil` if they could not be.
    var files: StaticFiles? {
        get async { await task.value }
    }

    private var task: Task<StaticFiles?, Never> {
        loading.withLock { loading in
            if let loading { return loading }
            let (folder, basePath) = (folder, basePath)
            let task = Task.detached { () -> StaticFiles? in
                do throws(StaticFiles.LoadError) {
                    return try StaticFiles(directory: folder, basePath: basePath)
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

    private static var standardFolders: [String] {
        var path = [CChar](repeating: 0, count: 4_096)
        let count = readlink("/proc/self/exe", &path, path.count - 1)
        let program = String(decoding: path.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard let slash = program.lastIndex(of: "/") else { return ["./Public"] }
        return [String(program[..<slash]) + "/Public", "./Public"]
    }
}

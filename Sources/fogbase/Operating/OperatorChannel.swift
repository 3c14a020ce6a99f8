import Cryptography
import Encodings
import Glibc
import RecordStorage
import RecordWire
import Sockets

/// How the operator's commands reach the server that runs on a data folder: a file in it with its addresses and a token that
/// is good while the process lives. Who may read the file may read all data, so it gives nobody more than they have.
struct OperatorChannel {
    /// Such as `http://127.0.0.1:8080`; `nil` for a server that listens on a Unix socket alone.
    let url: String?
    /// The path of the Unix socket, if the server listens on one.
    let unixPath: String?
    let token: String
    let process: Int32
    /// The version of Fogbase that runs.
    let version: String
    /// By which name the server answers, with a port if it has to be there.
    let host: String

    /// The file, in the data folder.
    static func path(in folder: String) -> String { folder + "/operator.json" }

    /// A new token: 256 random bits behind a prefix by which leaked ones are found.
    static func makeToken() -> String {
        "fbo_" + Base64URL.encode(RandomBytes.make(32))
    }

    /// - Parameters:
    ///   - addresses: Where the server listens.
    ///   - hosts: The names by which it answers; empty for all.
    /// - Returns: `nil` without any address.
    init?(addresses: [SocketAddress], token: String, hosts: [String] = []) {
        var url: String?
        var unixPath: String?
        for address in addresses {
            switch address {
            case .unix(let path): unixPath = Self.absolute(path)
            default: url = url ?? "http://\(Self.local("\(address)"))"
            }
        }
        guard url != nil || unixPath != nil else { return nil }
        self.url = url
        self.unixPath = unixPath
        self.token = token
        process = getpid()
        version = Version.text
        host = hosts.first ?? url.map { String($0.dropFirst("http://".count)) } ?? "localhost"
    }

    /// The commands run in other folders than the server.
    private static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), let folder = getcwd(nil, 0) else { return path }
        defer { free(folder) }
        return String(cString: folder) + "/" + path
    }

    /// An address at which the server reaches itself: of all addresses of the machine, that of the machine itself.
    private static func local(_ address: String) -> String {
        if address.hasPrefix("0.0.0.0:") { return "127.0.0.1:" + address.dropFirst(8) }
        if address.hasPrefix("[::]:") { return "[::1]:" + address.dropFirst(5) }
        return address
    }

    /// Where the server can be asked: by its port, and by its Unix socket where there is no port or nobody answers at it. A
    /// proxy may bring strangers to the socket, and their failed credentials would count beside the operator's.
    var places: [LocalHTTP.Place] {
        var places: [LocalHTTP.Place] = []
        if let url, url.hasPrefix("http://"), let colon = url.lastIndex(of: ":"),
            let port = UInt16(url[url.index(after: colon)...])
        {
            let name = url[..<colon].dropFirst("http://".count)
            places.append(
                .network(host: String(name.hasPrefix("[") ? name.dropFirst().dropLast() : name), port: port))
        }
        if let unixPath { places.append(.unix(path: unixPath)) }
        return places
    }

    // MARK: The file

    private init?(_ bytes: [UInt8]) {
        guard let object = (try? JSONValue.parse(bytes))?.object, let token = object["token"]?.string,
            let process = object["process"]?.integer.flatMap(Int32.init(exactly:)),
            let version = object["version"]?.string, let host = object["host"]?.string
        else { return nil }
        url = object["url"]?.string
        unixPath = object["unix"]?.string
        guard url != nil || unixPath != nil else { return nil }
        self.token = token
        self.process = process
        self.version = version
        self.host = host
    }

    /// Writes the file, whole or not at all, for its owner alone.
    func write(to folder: String) throws {
        var object = JSONObject(url.map { [("url", .string($0))] } ?? [])
        object["token"] = .string(token)
        object["process"] = .integer(Int64(process))
        object["version"] = .string(version)
        object["host"] = .string(host)
        if let unixPath { object["unix"] = .string(unixPath) }
        try DataFolder.writeDurably(
            JSONValue.object(object).bytes, to: Self.path(in: folder), in: folder)
    }

    /// Takes the file away: at a clean stop, and at the start what a process has left that was killed.
    static func remove(from folder: String) {
        unlink(path(in: folder))
    }

    /// The channel to the server that runs on a data folder; `nil` if none does. That is told by the folder's lock, which
    /// goes with its holder, so what a killed server has left behind is none.
    ///
    /// - Throws: A sentence for the operator if the folder is in use and there is no way to whoever uses it.
    static func find(in folder: String) throws(Failure) -> OperatorChannel? {
        guard access(folder + "/lock", R_OK | W_OK) == 0 || errno == ENOENT else {
            throw Failure(
                "This user cannot access the data directory \(folder): \(SystemError.text). Run the command as the user of the server."
            )
        }
        guard DataFolder.isInUse(folder) else { return nil }
        let path = path(in: folder)
        let bytes: [UInt8]?
        do throws(DataFolder.Problem) { bytes = try DataFolder.read(path) } catch {
            throw Failure(
                "\(error). The file is needed to find the running server. Run the command as the user of the server.")
        }
        guard let bytes else {
            throw Failure(
                "\(folder) is in use, and there is no \(path) to find its server. The server may be starting or stopping, or another command is running. Try again in a moment."
            )
        }
        guard let channel = OperatorChannel(bytes) else {
            throw Failure(
                "\(path) is damaged, or of another version of Fogbase than this one, \(Version.text). Restart the server with this version."
            )
        }
        guard channel.version == Version.text else {
            throw Failure(
                "The server on \(folder) is Fogbase \(channel.version), and this is \(Version.text). Use the server's program, or restart the server with this one."
            )
        }
        guard kill(channel.process, 0) == 0 || errno == EPERM else {
            throw Failure(
                "\(path) is stale: process \(channel.process) is gone, and another one uses the directory. It may be starting. Try again in a moment."
            )
        }
        return channel
    }
}

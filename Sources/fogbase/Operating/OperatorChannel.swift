import Cryptography
import Encodings
import Glibc
import RecordStorage
import RecordWire
import Sockets

/// The information that the operator's commands need to reach the server of a data directory. It is a file with the
/// server's addresses and a token that is valid while the process runs. The token gives no additional access: a user
/// that can read the file can read all data anyway.
///
/// ```
/// operator.json:  {"url"?,"unix"?,"token","process","version","host"}
/// ```
struct OperatorChannel {
    /// The server's URL, such as `http://127.0.0.1:8080` or, with TLS, `https://127.0.0.1:8080`; `nil` for a server that listens only on a Unix socket.
    let url: String?
    /// The path of the server's Unix socket; `nil` if the server does not listen on one.
    let unixPath: String?
    let token: String
    let process: Int32
    /// The version of Fogbase that the server runs.
    let version: String
    /// A host name that the server accepts, with a port if required.
    let host: String

    /// Returns the path of the channel file in a data directory.
    static func path(in directory: String) -> String { directory + "/operator.json" }

    /// Returns a new token: a prefix that makes leaked tokens easy to find, and 256 random bits.
    static func makeToken() -> String {
        "fbo_" + Base64URL.encode(RandomBytes.make(32))
    }

    /// Creates the information for a running server.
    ///
    /// - Parameters:
    ///   - addresses: The addresses on which the server listens.
    ///   - isEncrypted: Whether the server speaks TLS, except on its Unix socket.
    ///   - hosts: The host names that the server accepts; empty for all.
    /// - Returns: `nil` if `addresses` is empty.
    init?(addresses: [SocketAddress], isEncrypted: Bool = false, token: String, hosts: [String] = []) {
        let scheme = isEncrypted ? "https://" : "http://"
        var url: String?
        var unixPath: String?
        for address in addresses {
            switch address {
            case .unix(let path): unixPath = Self.absolute(path)
            default: url = url ?? scheme + Self.local("\(address)")
            }
        }
        guard url != nil || unixPath != nil else { return nil }
        self.url = url
        self.unixPath = unixPath
        self.token = token
        process = getpid()
        version = Version.text
        host = hosts.first ?? url.map { String($0.dropFirst(scheme.count)) } ?? "localhost"
    }

    /// Returns an absolute path, because a command may run in another working directory than the server.
    private static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), let directory = getcwd(nil, 0) else { return path }
        defer { free(directory) }
        return String(cString: directory) + "/" + path
    }

    /// Returns an address that reaches the server on this machine: the loopback address if the server listens on all
    /// addresses.
    private static func local(_ address: String) -> String {
        if address.hasPrefix("0.0.0.0:") { return "127.0.0.1:" + address.dropFirst(8) }
        if address.hasPrefix("[::]:") { return "[::1]:" + address.dropFirst(5) }
        return address
    }

    /// The locations of the server in the order of attempts: its port, then its Unix socket. The port is first because
    /// a proxy may forward clients to the socket. The clients' failed credentials would then count together with the
    /// operator's.
    var places: [LocalHTTP.Place] {
        var places: [LocalHTTP.Place] = []
        if let url, let mark = url.firstRange(of: "://"), let colon = url.lastIndex(of: ":"),
            colon > mark.lowerBound, let port = UInt16(url[url.index(after: colon)...])
        {
            let name = url[mark.upperBound..<colon]
            places.append(
                .network(
                    host: String(name.hasPrefix("[") ? name.dropFirst().dropLast() : name), port: port,
                    isEncrypted: url.hasPrefix("https:")))
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

    /// Writes the channel file atomically. Only its owner can read it.
    ///
    /// - Throws: `DataDirectory.Problem`.
    func write(to directory: String) throws {
        var object = JSONObject(url.map { [("url", .string($0))] } ?? [])
        object["token"] = .string(token)
        object["process"] = .integer(Int64(process))
        object["version"] = .string(version)
        object["host"] = .string(host)
        if let unixPath { object["unix"] = .string(unixPath) }
        try DataDirectory.writeDurably(
            JSONValue.object(object).bytes, to: Self.path(in: directory), in: directory)
    }

    /// Deletes the channel file. A server does this at a clean stop, and at startup for the file of a killed process.
    static func remove(from directory: String) {
        unlink(path(in: directory))
    }

    /// Returns the channel to the server of a data directory; `nil` if no server runs. The lock of the directory
    /// determines whether a server runs. The system releases the lock when the process ends, so the file of a killed
    /// server is ignored.
    ///
    /// - Throws: `Failure` if the directory is in use but its server cannot be reached.
    static func find(in directory: String) throws(Failure) -> OperatorChannel? {
        guard access(directory + "/lock", R_OK | W_OK) == 0 || errno == ENOENT else {
            let reason = SystemError.text
            guard let obstacle = FileOwnership.obstacle(to: directory + "/lock") else {
                throw Failure("This user cannot access the data directory \(directory): \(reason).")
            }
            throw Failure("\(obstacle.sentence) Run the command as the user of the server. \(obstacle.remedy)")
        }
        guard DataDirectory.isInUse(directory) else { return nil }
        let path = path(in: directory)
        let bytes: [UInt8]?
        do throws(DataDirectory.Problem) { bytes = try DataDirectory.read(path) } catch {
            throw Failure(
                "\(error). The file is needed to find the running server. Run the command as the user of the server.")
        }
        guard let bytes else {
            throw Failure(
                "\(directory) is in use, and there is no \(path) to find its server. The server may be starting or stopping, or another command is running. Try again in a moment."
            )
        }
        guard let channel = OperatorChannel(bytes) else {
            throw Failure(
                "\(path) is damaged, or of another version of Fogbase than this one, \(Version.text). Restart the server with this version."
            )
        }
        guard channel.version == Version.text else {
            throw Failure(
                "The server on \(directory) is Fogbase \(channel.version), and this is \(Version.text). Use the server's program, or restart the server with this one."
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

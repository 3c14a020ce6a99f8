package import HTTP
import Compression

/// The files of the console and of the examples, read into memory at the start and served under `/_/`.
///
/// A request finds its file by its exact path in a table. Nothing of a request ever becomes a path of the file system.
package struct StaticFiles: Sendable {
    /// What is loaded at most; more is an error at the start, not at night.
    package struct Limits: Sendable {
        package var maxFiles = 1000
        package var maxFileBytes = 4 << 20
        package var maxTotalBytes = 32 << 20

        package init() {}
    }

    /// Why the directory could not be loaded.
    package enum LoadError: Error, Hashable, Sendable {
        case unreadable(path: String)
        case tooManyFiles(limit: Int)
        case fileTooLarge(path: String, limit: Int)
        case tooManyBytes(limit: Int)
    }

    struct File: Sendable {
        var type: StaticString
        var identity: [UInt8]
        var gzip: [UInt8]?
        var entityTag: String
        var gzipEntityTag: String
    }

    private var files: [String: File] = [:]
    private let basePath: String

    /// How many files there are.
    package var count: Int { files.count }

    /// Loads every file below `directory` whose extension is known; hidden ones and symbolic links are passed over.
    ///
    /// An `index.html` answers for its folder; the folder's path without the last slash leads there.
    ///
    /// - Parameter basePath: What stands before `/_/` for clients, if a proxy serves the server below a path.
    package init(directory: String, basePath: String = "", limits: Limits = Limits()) throws(LoadError) {
        self.basePath = basePath
        for found in try DirectoryReader.files(below: directory, limits: limits) {
            self.add(found.bytes, at: found.path)
        }
    }

    /// Serves files given in memory, by path relative to the mount.
    package init(_ contents: [String: [UInt8]], basePath: String = "") {
        self.basePath = basePath
        for (path, bytes) in contents { add(bytes, at: path) }
    }

    private mutating func add(_ bytes: [UInt8], at path: String) {
        guard let type = Self.contentType(ofPath: path) else { return }
        let tag = Self.fingerprint(of: bytes)
        var file = File(
            type: type, identity: bytes, gzip: nil, entityTag: "\"\(tag)\"", gzipEntityTag: "\"\(tag)-gzip\"")
        let isText = type.withUTF8Buffer { CompressibleTypes.contains(UnsafeRawBufferPointer($0)) }
        if isText, let gzip = try? GzipEncoder.encode(bytes, level: .smallest), gzip.count < bytes.count {
            file.gzip = gzip
        }
        files["/_/" + path] = file
        if path == "index.html" {
            files["/_/"] = file
        } else if path.hasSuffix("/index.html") {
            files["/_/" + path.dropLast("index.html".utf8.count)] = file
        }
    }

    /// The answer to a request for the console; `nil` if the path is not the console's.
    package func respond(to request: HTTPRequest) -> HTTPResponse? {
        guard request.target.segmentCount > 0, request.target.segmentEquals(0, "_") else { return nil }
        let path = request.target.rawPath
        guard request.method == .get || request.method == .head else {
            var response = Self.response(.methodNotAllowed, text: "Only GET and HEAD are possible here.\n")
            response.fields.append(.allow, literal: "GET, HEAD")
            return response
        }
        if let file = files[path] { return Self.response(file, to: request) }
        // A page without the slash would look for its style and scripts one folder too high.
        if files[path + "/"] != nil {
            var response = Self.response(.permanentRedirect, text: "")
            response.fields.append(.location, basePath + path + "/")
            return response
        }
        return Self.response(.notFound, text: "There is no such file.\n")
    }

    private static func response(_ file: File, to request: HTTPRequest) -> HTTPResponse {
        // Each form has a tag of its own, since a strong tag names one run of bytes (RFC 9110 §8.8.3.3).
        let gzip = AcceptEncoding.acceptsGzip(request.fields) ? file.gzip : nil
        let tag = gzip == nil ? file.entityTag : file.gzipEntityTag
        let condition = EntityTagCondition.ifNoneMatch(request.fields)
        let isKnown = condition.map { $0.matchesWeak(tag) } ?? false
        var response = HTTPResponse(isKnown ? .notModified : .ok, route: route)
        response.fields.append(.etag, tag)
        response.fields.append(.cacheControl, literal: "no-cache")
        if file.gzip != nil { response.fields.append(.vary, literal: "Accept-Encoding") }
        if !isKnown {
            response.fields.append(.contentType, literal: file.type)
            if gzip != nil { response.fields.append(.contentEncoding, literal: "gzip") }
            response.body = .bytes(gzip ?? file.identity)
        }
        harden(&response)
        return response
    }

    private static func response(_ status: HTTPStatus, text: String) -> HTTPResponse {
        var response = HTTPResponse(status, body: .bytes(Array(text.utf8)), route: route)
        if !text.isEmpty { response.fields.append(.contentType, literal: "text/plain; charset=utf-8") }
        response.fields.append(.cacheControl, literal: "no-cache")
        harden(&response)
        return response
    }

    private static let route: StaticString = "GET /_/{file}"

    /// What every answer says whose text a browser may take for a page of this origin.
    package static func harden(_ response: inout HTTPResponse) {
        response.fields.append(.contentSecurityPolicy, literal: policy)
        response.fields.append(.xContentTypeOptions, literal: "nosniff")
        response.fields.append(.referrerPolicy, literal: "no-referrer")
        response.fields.append(.crossOriginOpenerPolicy, literal: "same-origin")
        response.fields.append(.crossOriginResourcePolicy, literal: "same-origin")
        response.fields.append(.permissionsPolicy, literal: permissions)
    }

    /// The console asks for none of a browser's senses.
    private static let permissions: StaticString = """
        accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), magnetometer=(), microphone=(), \
        midi=(), payment=(), publickey-credentials-get=(), usb=()
        """

    /// Nothing from elsewhere, nothing inline, no framing.
    private static let policy: StaticString = """
        default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; media-src 'self'; \
        connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'
        """

    /// The type of a file by its extension; `nil` for one that is not served.
    static func contentType(ofPath path: String) -> StaticString? {
        guard let dot = path.lastIndex(of: "."), !path[dot...].contains("/") else { return nil }
        return switch path[path.index(after: dot)...] {
        case "html": "text/html; charset=utf-8"
        case "js", "mjs": "text/javascript; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "json", "map": "application/json"
        case "webmanifest": "application/manifest+json"
        case "txt": "text/plain; charset=utf-8"
        case "svg": "image/svg+xml"
        case "png": "image/png"
        case "jpg", "jpeg": "image/jpeg"
        case "webp": "image/webp"
        case "ico": "image/x-icon"
        case "woff2": "font/woff2"
        default: nil
        }
    }

    /// 128 bits of the content (FNV-1a from two bases) and its length: told apart, not proven; the files are our own.
    private static func fingerprint(of bytes: [UInt8]) -> String {
        var one: UInt64 = 0xCBF2_9CE4_8422_2325
        var other: UInt64 = 0x6C62_272E_07BB_0142
        for byte in bytes {
            one = (one ^ UInt64(byte)) &* 0x100_0000_01B3
            other = (other ^ UInt64(byte)) &* 0x100_0000_01B3 &+ one >> 32
        }
        return "\(String(one, radix: 36))\(String(other, radix: 36))\(String(bytes.count, radix: 36))"
    }
}

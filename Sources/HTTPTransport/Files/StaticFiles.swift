package import HTTP
import Compression
import Cryptography
import Threads

/// The files of the console and of the examples, loaded into memory at startup and served under `/_/`.
///
/// A file is found in a table by the exact path of the request. No request data is used as a path in the file system.
///
/// Each file also has an address that contains the version of all files, `/_/v-…/main.js`. The pages name their scripts
/// and styles by these addresses, and a script's imports are relative to it. Browsers keep such files without asking
/// again, and after an upgrade the pages name others.
package struct StaticFiles: Sendable {
    /// The limits of the loaded directory. If one is exceeded, loading fails.
    package struct Limits: Sendable {
        /// The maximum number of files.
        package var maxFiles = 1000
        /// The maximum size of one file in bytes.
        package var maxFileBytes = 4 << 20
        /// The maximum size of all files together in bytes.
        package var maxTotalBytes = 32 << 20

        /// Creates the default limits.
        package init() {}
    }

    /// The reason why a directory could not be loaded.
    package enum LoadError: Error, Hashable, Sendable {
        case unreadable(path: String)
        case tooManyFiles(limit: Int)
        case fileTooLarge(path: String, limit: Int)
        case tooManyBytes(limit: Int)
    }

    struct File: Sendable {
        var type: StaticString
        var identity: [UInt8]
        var isText: Bool
        /// The compressed form; `nil` if it is not smaller. It is made for the first request that accepts it, because most
        /// starts of a server are followed by no visit of the console.
        var gzip: Once<[UInt8]?>
        var entityTag: String
        var gzipEntityTag: String
    }

    private var files: [String: File] = [:]
    private let basePath: String
    /// The first segment after `/_/` of the addresses that never change.
    private var version = ""

    /// The number of paths, including those of the index files.
    package var count: Int { files.count }

    /// Loads every file below `directory` with a known extension, except hidden files and symbolic links.
    ///
    /// An `index.html` is also served for the path of its directory. The directory's path without its last slash
    /// redirects to the path with the slash.
    ///
    /// - Parameter basePath: The prefix that clients see before `/_/`, if a proxy serves the server below a path.
    /// - Throws: `LoadError` if a file or directory cannot be read, or if a limit is exceeded.
    package init(directory: String, basePath: String = "", limits: Limits = Limits()) throws(LoadError) {
        self.basePath = basePath
        let found = try DirectoryReader.files(below: directory, limits: limits)
        add(found.map { ($0.path, $0.bytes) })
    }

    /// Creates a table from files in memory. The keys are paths relative to `/_/`.
    package init(_ contents: [String: [UInt8]], basePath: String = "") {
        self.basePath = basePath
        add(contents.map { ($0.key, $0.value) })
    }

    private mutating func add(_ contents: [(path: String, bytes: [UInt8])]) {
        for (path, bytes) in contents { add(bytes, at: path) }
        let tags = files.sorted { $0.key < $1.key }.map { $0.key + $0.value.entityTag }
        version = "v-" + Self.fingerprint(of: Array(tags.joined(separator: " ").utf8))
        for (path, bytes) in contents where path.hasSuffix(".html") && !path.contains("/") {
            let page = joined(String(decoding: bytes, as: UTF8.self), as: String(path.dropLast(".html".utf8.count)))
            add(Array(versioned(page).utf8), at: path)
        }
    }

    /// Returns a page of the console with one style sheet instead of several that follow each other. Each would cost a
    /// request at the first visit.
    ///
    /// - Parameter pageName: The name of the page, for the address of the joined style sheet.
    private mutating func joined(_ page: String, as pageName: String) -> String {
        let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
        var sheets: [UInt8] = []
        var others: [Substring] = []
        var place: Int?
        var count = 0
        for line in lines {
            guard let name = Self.styleSheet(ofLine: line), let sheet = files["/_/" + name] else {
                others.append(line)
                continue
            }
            if place == nil { place = others.count }
            sheets += sheet.identity + [0x0A]
            count += 1
        }
        guard let place, count > 1 else { return page }
        add(sheets, at: "joined/\(pageName).css")
        others.insert("    <link rel=\"stylesheet\" href=\"joined/\(pageName).css\">", at: place)
        return others.joined(separator: "\n")
    }

    /// Returns the address of the style sheet that a line of a page names, if it does nothing else.
    private static func styleSheet(ofLine line: Substring) -> Substring? {
        let element = line.drop { $0 == " " }
        let (start, end) = ("<link rel=\"stylesheet\" href=\"", "\">")
        guard element.hasPrefix(start), element.hasSuffix(end) else { return nil }
        return element.dropFirst(start.count).dropLast(end.count)
    }

    /// Returns a page of the console whose scripts and styles have addresses with the version.
    private func versioned(_ page: String) -> String {
        var text = ""
        var rest = page[...]
        while let attribute = ["href=\"", "src=\""].compactMap({ rest.firstRange(of: $0) }).min(by: {
            $0.lowerBound < $1.lowerBound
        }) {
            text += rest[..<attribute.upperBound]
            rest = rest[attribute.upperBound...]
            let value = rest.prefix { $0 != "\"" }
            if files["/_/" + value] != nil, !value.hasSuffix(".html") { text += version + "/" }
        }
        return text + rest
    }

    private mutating func add(_ bytes: [UInt8], at path: String) {
        guard let type = Self.contentType(ofPath: path) else { return }
        let tag = Self.fingerprint(of: bytes)
        let isText = type.withUTF8Buffer { CompressibleTypes.contains(UnsafeRawBufferPointer($0)) }
        let gzip = Once<[UInt8]?> {
            guard isText, let gzip = try? GzipEncoder.encode(bytes, level: .smallest) else { return nil }
            return gzip.count < bytes.count ? gzip : nil
        }
        let file = File(
            type: type, identity: bytes, isText: isText, gzip: gzip, entityTag: "\"\(tag)\"",
            gzipEntityTag: "\"\(tag)-gzip\"")
        files["/_/" + path] = file
        if path == "index.html" {
            files["/_/"] = file
        } else if path.hasSuffix("/index.html") {
            files["/_/" + path.dropLast("index.html".utf8.count)] = file
        }
    }

    /// Returns the response to a request for a path under `/_/`; `nil` for other paths.
    package func respond(to request: HTTPRequest) -> HTTPResponse? {
        guard request.target.segmentCount > 0, request.target.segmentEquals(0, "_") else { return nil }
        var path = request.target.rawPath
        guard request.method == .get || request.method == .head else {
            var response = Self.response(.methodNotAllowed, text: "Only GET and HEAD are possible here.\n")
            response.fields.append(.allow, literal: "GET, HEAD")
            return response
        }
        if let file = files[path] { return Self.response(file, at: path, to: request) }
        // A page from before an upgrade may ask for a file of the old version.
        if path.hasPrefix("/_/v-"), let slash = path.dropFirst(3).firstIndex(of: "/") {
            let isCurrent = path[..<slash].dropFirst(3) == version
            path = "/_" + path[slash...]
            if let file = files[path] { return Self.response(file, at: path, to: request, isFixed: isCurrent) }
        }
        // Without the slash, a page would resolve its relative URLs one directory too high.
        if files[path + "/"] != nil {
            var response = Self.response(.permanentRedirect, text: "")
            response.fields.append(.location, basePath + path + "/")
            return response
        }
        return Self.response(.notFound, text: "There is no such file.\n")
    }

    /// - Parameter isFixed: Whether the content at the address never changes.
    private static func response(
        _ file: File, at target: String, to request: HTTPRequest, isFixed: Bool = false
    ) -> HTTPResponse {
        // The identity and gzip forms have different entity tags, because a strong tag identifies one byte sequence
        // (RFC 9110 §8.8.3.3).
        let gzip = AcceptEncoding.acceptsGzip(request.fields) ? file.gzip.value : nil
        let tag = gzip == nil ? file.entityTag : file.gzipEntityTag
        let condition = EntityTagPrecondition.ifNoneMatch(request.fields)
        let isKnown = condition.map { $0.matchesWeak(tag) } ?? false
        var response = HTTPResponse(isKnown ? .notModified : .ok, route: route)
        response.fields.append(.etag, tag)
        if isFixed {
            response.fields.append(.cacheControl, literal: "max-age=31536000, immutable")
        } else {
            response.fields.append(.cacheControl, literal: "no-cache")
        }
        if file.isText { response.fields.append(.vary, literal: "Accept-Encoding") }
        if !isKnown {
            response.fields.append(.contentType, literal: file.type)
            if gzip != nil { response.fields.append(.contentEncoding, literal: "gzip") }
            response.body = .bytes(gzip ?? file.identity)
        }
        harden(&response)
        if target == signInPage {
            // An app of another origin opens the page and gets its message, so the page must keep its opener.
            response.fields.set(.crossOriginOpenerPolicy, "unsafe-none")
        }
        return response
    }

    /// The page that apps of other origins open in a window.
    private static let signInPage = "/_/signin.html"

    private static func response(_ status: HTTPStatus, text: String) -> HTTPResponse {
        var response = HTTPResponse(status, body: .bytes(Array(text.utf8)), route: route)
        if !text.isEmpty { response.fields.append(.contentType, literal: "text/plain; charset=utf-8") }
        response.fields.append(.cacheControl, literal: "no-cache")
        harden(&response)
        return response
    }

    private static let route: StaticString = "GET /_/{file}"

    /// Adds the security fields to a response that a browser may treat as a page of this origin.
    package static func harden(_ response: inout HTTPResponse) {
        response.fields.append(.contentSecurityPolicy, literal: policy)
        response.fields.append(.xContentTypeOptions, literal: "nosniff")
        response.fields.append(.referrerPolicy, literal: "no-referrer")
        response.fields.append(.crossOriginOpenerPolicy, literal: "same-origin")
        response.fields.append(.crossOriginResourcePolicy, literal: "same-origin")
        response.fields.append(.permissionsPolicy, literal: permissions)
    }

    /// Disables browser features that the console does not use.
    private static let permissions: StaticString = """
        accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), magnetometer=(), microphone=(), \
        midi=(), payment=(), publickey-credentials-get=(), usb=()
        """

    /// Forbids content from other origins, inline content, and display in a frame.
    private static let policy: StaticString = """
        default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; media-src 'self'; \
        connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'
        """

    /// Returns the media type for a file's extension; `nil` if files with this extension are not served.
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

    /// Returns a name for the content, of lowercase letters and digits.
    private static func fingerprint(of bytes: [UInt8]) -> String {
        String(SHA256.hash(bytes).hex.prefix(32))
    }
}

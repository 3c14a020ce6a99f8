import Compression
import Glibc
import HTTP
import HTTPTransport
import Testing

@Suite struct StaticFilesTests {
    private let files = StaticFiles([
        "index.html": Array("<!doctype html>".utf8),
        "app.js": Array(String(repeating: "let a = 1;\n", count: 100).utf8),
        "logo.png": [1, 2, 3], "secret.key": [1], "sub/index.html": Array("sub".utf8),
    ])

    private func respond(_ method: HTTPMethod, _ path: String, _ fields: [(HTTPFieldName, String)] = []) throws
        -> HTTPResponse?
    {
        var all = HTTPFields()
        for (name, value) in fields { all.append(name, value) }
        return files.respond(to: HTTPRequest(method: method, target: try #require(RequestTarget(path)), fields: all))
    }

    @Test(arguments: [
        ("/_/", 200), ("/_/index.html", 200), ("/_/app.js", 200), ("/_/app.js?v=2", 200), ("/_/sub/", 200),
        ("/_", 308), ("/_/sub", 308), ("/_/secret.key", 404), ("/_/none.js", 404), ("/_/App.js", 404),
        ("/_/%61pp.js", 404), ("/_//app.js", 404), ("/_//sub", 404), ("/_/sub//", 404),
    ])
    func `a path has this status`(_ path: String, _ status: UInt16) throws {
        let response = try #require(try respond(.get, path))
        #expect(response.status.code == status)
        #expect(response.fields[.contentSecurityPolicy]?.hasPrefix("default-src 'none'; script-src 'self'; ") == true)
        #expect(response.fields[.xContentTypeOptions] == "nosniff")
        #expect(response.fields[.cacheControl] == "no-cache")
        #expect(response.fields[.contentSecurityPolicy]?.contains("frame-ancestors 'none'") == true)
        #expect(response.fields[.contentSecurityPolicy]?.contains("unsafe") == false)
        #expect(response.fields[.referrerPolicy] == "no-referrer")
        #expect(response.fields[.crossOriginOpenerPolicy] == "same-origin")
        #expect(response.fields[.crossOriginResourcePolicy] == "same-origin")
        #expect(response.fields[.permissionsPolicy]?.contains("camera=()") == true)
    }

    @Test func `the sign-in page keeps its opener, which gets its message`() throws {
        let files = StaticFiles(["signin.html": Array("<p>".utf8), "index.html": Array("<p>".utf8)])
        for (path, policy) in [("/_/signin.html", "unsafe-none"), ("/_/", "same-origin")] {
            let target = try #require(RequestTarget(path))
            let response = try #require(files.respond(to: HTTPRequest(method: .get, target: target)))
            #expect(response.status == .ok && response.fields[.crossOriginOpenerPolicy] == policy)
            #expect(response.fields[.contentSecurityPolicy]?.contains("frame-ancestors 'none'") == true)
        }
    }

    /// A page names its files by addresses that never change, and the files behind them are kept without asking again.
    @Test func `a page names its files by the version of all files`() throws {
        let page = """
            <link href="app.css"><link rel="modulepreload" href="views/home.js"><script src="main.js"></script>
            <a href="signin.html"></a><a href="https://example.org/main.js"></a><img src="none.png">
            """
        func served(_ main: String) throws -> (page: String, files: StaticFiles) {
            let files = StaticFiles([
                "index.html": Array(page.utf8), "main.js": Array(main.utf8), "app.css": [1], "views/home.js": [2],
                "signin.html": Array("<p>".utf8), "examples/index.html": Array(#"<script src="main.js">"#.utf8),
                "examples/main.js": [3],
            ])
            let target = try #require(RequestTarget("/_/"))
            let response = try #require(files.respond(to: HTTPRequest(method: .get, target: target)))
            guard case .bytes(let body) = response.body else { return ("", files) }
            return (String(decoding: body, as: UTF8.self), files)
        }
        func get(_ path: String, _ files: StaticFiles) throws -> HTTPResponse {
            let target = try #require(RequestTarget(path))
            return try #require(files.respond(to: HTTPRequest(method: .get, target: target)))
        }
        let (first, files) = try served("one")
        let version = try #require(first.firstRange(of: "v-")).lowerBound
        let segment = String(first[version...].prefix { $0 != "/" })
        #expect(
            first
                == page.replacing("\"app.css", with: "\"\(segment)/app.css")
                .replacing("\"views/", with: "\"\(segment)/views/").replacing("\"main.js", with: "\"\(segment)/main.js")
        )
        for name in ["main.js", "app.css", "views/home.js"] {
            let response = try get("/_/\(segment)/\(name)", files)
            #expect(response.status == .ok && response.fields[.cacheControl] == "max-age=31536000, immutable")
            #expect(try get("/_/\(name)", files).fields[.cacheControl] == "no-cache")
        }
        #expect(try get("/_/\(segment)/none.js", files).status == .notFound)
        #expect(try get("/_/\(segment)", files).status == .notFound)
        guard case .bytes(let example) = try get("/_/examples/", files).body else { return }
        #expect(String(decoding: example, as: UTF8.self) == #"<script src="main.js">"#)
        // Another file, another address; the old one still leads to the file, which is not kept.
        let (second, newer) = try served("two")
        #expect(second != first)
        let old = try get("/_/\(segment)/main.js", newer)
        #expect(old.status == .ok && old.fields[.cacheControl] == "no-cache")
    }

    @Test func `the style sheets of a page are joined in their order`() throws {
        let page = """
            <link rel="icon" href="a.png">
                <link rel="stylesheet" href="one.css">
                <link rel="stylesheet" href="two.css">
                <link rel="stylesheet" href="missing.css">
            <script src="main.js"></script>
            """
        let files = StaticFiles([
            "index.html": Array(page.utf8), "one.css": Array("a {}".utf8), "two.css": Array("b {}".utf8),
            "signin.html": Array("<link rel=\"stylesheet\" href=\"one.css\">".utf8),
        ])
        func text(_ path: String) throws -> String {
            let target = try #require(RequestTarget(path))
            let response = try #require(files.respond(to: HTTPRequest(method: .get, target: target)))
            guard case .bytes(let body) = response.body else { return "" }
            return String(decoding: body, as: UTF8.self)
        }
        let index = try text("/_/")
        let address = try #require(index.firstMatch(of: /href="(v-[a-z0-9]+\/joined\/index.css)"/)?.output.1)
        #expect(index.contains("missing.css") && !index.contains("one.css") && !index.contains("two.css"))
        let icon = try #require(index.firstRange(of: "a.png"))
        #expect(try #require(index.firstRange(of: "joined")).lowerBound > icon.lowerBound)
        #expect(try text("/_/\(address)") == "a {}\nb {}\n")
        // A single one stays.
        #expect(try text("/_/signin.html").contains("/one.css"))
    }

    @Test(arguments: ["/", "/records", "/_x", "/__/", "/a/_/"])
    func `other paths are passed on`(_ path: String) throws {
        #expect(try respond(.get, path) == nil)
    }

    @Test func `only GET and HEAD are possible`() throws {
        for method in [HTTPMethod.post, .put, .delete, .options] {
            let response = try #require(try respond(method, "/_/"))
            #expect(response.status == .methodNotAllowed)
            #expect(response.fields[.allow] == "GET, HEAD")
        }
        #expect(try respond(.head, "/_/")?.status == .ok)
        #expect(try respond(.get, "/_")?.fields[.location] == "/_/")
    }

    @Test(arguments: [("/_", "/_/"), ("/_/sub", "/_/sub/"), ("/_/sub?page=2", "/_/sub/")])
    func `a directory without its slash leads to its page`(_ path: String, _ location: String) throws {
        #expect(try respond(.get, path)?.fields[.location] == location)
    }

    @Test func `a form that the client already has is not sent again`() throws {
        let plain = try #require(try respond(.get, "/_/app.js"))
        let tag = try #require(plain.fields[.etag])
        let again = try #require(try respond(.get, "/_/app.js", [(.ifNoneMatch, "\"x\", \(tag)")]))
        #expect(again.status == .notModified)
        #expect(again.fields[.etag] == tag)
        let packed = try #require(try respond(.get, "/_/app.js", [(.acceptEncoding, "gzip"), (.ifNoneMatch, tag)]))
        #expect(packed.status == .ok)
        #expect(packed.fields[.etag] != tag)
        #expect(packed.fields[.contentEncoding] == "gzip")
        #expect(packed.fields[.contentType] == "text/javascript; charset=utf-8")
        guard case .bytes(let gzip) = packed.body, case .bytes(let identity) = plain.body else {
            Issue.record("No bytes")
            return
        }
        #expect(try GzipDecoder.decode(gzip, limits: .init(maxOutputBytes: 1 << 20)) == identity)
    }

    @Test func `a directory is loaded within its limits, without what is hidden or linked`() throws {
        var template = Array("/tmp/fogbase-files-XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        let root = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        func write(_ path: String, _ size: Int) throws {
            let file = try #require(fopen("\(root)/\(path)", "w"))
            fputs(String(repeating: "x", count: size), file)
            fclose(file)
        }
        mkdir("\(root)/css", 0o755)
        try write("index.html", 10)
        try write("css/a.css", 10)
        try write(".hidden.html", 10)
        try write("notes.md", 10)
        symlink("/etc/passwd", "\(root)/link.txt")
        defer {
            for path in ["index.html", "css/a.css", ".hidden.html", "notes.md", "link.txt", "css", ""] {
                remove("\(root)/\(path)")
            }
        }
        let files = try StaticFiles(directory: root)
        #expect(files.count == 3)
        var limits = StaticFiles.Limits()
        limits.maxFiles = 2
        limits.maxFileBytes = 10
        limits.maxTotalBytes = 20
        #expect(try StaticFiles(directory: root, limits: limits).count == 3)
        limits.maxTotalBytes = 19
        #expect(throws: StaticFiles.LoadError.tooManyBytes(limit: 19)) {
            try StaticFiles(directory: root, limits: limits)
        }
        limits.maxFileBytes = 9
        #expect(throws: StaticFiles.LoadError.self) { try StaticFiles(directory: root, limits: limits) }
        limits = StaticFiles.Limits()
        limits.maxFiles = 1
        #expect(throws: StaticFiles.LoadError.tooManyFiles(limit: 1)) {
            try StaticFiles(directory: root, limits: limits)
        }
        #expect(throws: StaticFiles.LoadError.self) { try StaticFiles(directory: root + "/none") }
    }
}

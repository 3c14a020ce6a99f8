import HTTP
import RecordWire
import Testing

/// A served asset never runs as a page of this origin, whatever its bytes, its name and its uploader say.
@Suite struct AssetSafetyTests {
    private static let script = Array("<html><script>alert(document.domain)</script>".utf8)
    private static let polyglot = AssetRoutesTests.gif + Array("/*<script>*/=1;alert(1)".utf8)

    struct Hostile: CustomTestStringConvertible, Sendable {
        let type: String
        let bytes: [UInt8]
        var query = "?filename=page.html"

        var testDescription: String { "\(type) \(query)" }
    }

    static let hostile = [
        Hostile(
            type: "image/svg+xml", bytes: Array("<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>".utf8)),
        Hostile(type: "IMAGE/SVG+XML; charset=utf-8", bytes: script), Hostile(type: "text/html", bytes: script),
        Hostile(type: "text/HTML;charset=utf-7", bytes: script), Hostile(type: "application/xhtml+xml", bytes: script),
        Hostile(type: "text/xml", bytes: Array("<?xml-stylesheet href='#'?><x/>".utf8)),
        Hostile(type: "application/xml", bytes: script), Hostile(type: "application/xslt+xml", bytes: script),
        Hostile(type: "application/pdf", bytes: Array("%PDF-1.7 /JavaScript".utf8)),
        Hostile(type: "text/javascript", bytes: Array("alert(1)".utf8)), Hostile(type: "text/css", bytes: script),
        Hostile(type: "application/wasm", bytes: [0, 0x61, 0x73, 0x6D]), Hostile(type: "text/plain", bytes: script),
        Hostile(type: "application/json", bytes: script), Hostile(type: "multipart/x-mixed-replace", bytes: script),
        Hostile(type: "message/rfc822", bytes: script), Hostile(type: "application/x-shockwave-flash", bytes: script),
        Hostile(type: "image/png", bytes: script), Hostile(type: "image/gif", bytes: polyglot),
        Hostile(type: "text/html", bytes: polyglot), Hostile(type: "image/x-icon", bytes: script),
        Hostile(type: "video/mp4", bytes: script), Hostile(type: "no type at all", bytes: script),
        Hostile(
            type: "application/octet-stream", bytes: script, query: "?filename=a%22%0d%0aContent-Type:%20text/html"),
    ]

    @Test(arguments: hostile)
    func `no asset can run`(_ hostile: Hostile) async throws {
        let test = try await AssetRoutesTests.makeDatabase()
        let made = await test.call(
            .post, "/assets" + hostile.query, as: .creator, bytes: hostile.bytes,
            headers: [("Content-Type", hostile.type)])
        // Some names and types are rejected at the upload.
        guard made.status == 201 else {
            #expect(made.status == 400 || made.status == 415, "\(made.text)")
            return
        }
        let asset = try #require(made.json?["asset"])
        let value = JSONValue.object(JSONObject([("fields", .object(JSONObject([("file", asset)])))]))
        let linked = await test.call(
            .put, "/records/Post/a", as: .creator, body: String(decoding: value.bytes, as: UTF8.self))
        try #require(linked.status == 201, "\(linked.text)")
        for target in [
            try AssetRoutesTests.target(asset), try AssetRoutesTests.target(asset, "download"), "/records/Post/a/file",
        ] {
            for headers in [[], [("Range", "bytes=0-3")], [("Range", "bytes=0-1,3-4")], [("Accept", "text/html")]] {
                let response = await test.call(.get, target, as: .creator, headers: headers)
                guard response.status < 300 else {
                    #expect(response.field("Content-Type") == "application/json", "\(response.text)")
                    continue
                }
                check(response, isDownload: target.hasSuffix("download"))
            }
        }
    }

    private func check(_ response: Response, isDownload: Bool) {
        let type = response.field("Content-Type") ?? ""
        let disposition = response.field("Content-Disposition") ?? ""
        #expect(response.field("X-Content-Type-Options") == "nosniff")
        // Without a right to scripts, forms, frames and this origin, even if a browser should show it.
        let policy = response.field("Content-Security-Policy") ?? ""
        #expect(policy.contains("default-src 'none'") && policy.contains("sandbox") && !policy.contains("script"))
        let isMedia = type.hasPrefix("audio/") || type.hasPrefix("video/") || type.hasPrefix("multipart/")
        #expect(!policy.replacing(isMedia ? "allow-same-origin" : "-", with: "-").contains("allow-"), "\(policy)")
        for word in ["html", "svg", "xml", "javascript", "css", "wasm", "flash", "rfc822", "mixed"]
        where type != "image/svg+xml" {
            #expect(!type.lowercased().contains(word), "\(type)")
        }
        let isShown = disposition.hasPrefix("inline")
        #expect(isShown || policy.contains("frame-ancestors 'none'"))
        #expect(isShown || disposition.hasPrefix("attachment"), "\(disposition)")
        let shown = ["image/", "audio/", "video/", "multipart/", "application/pdf", "text/plain; charset=utf-8"]
        #expect(!isShown || (!isDownload && shown.contains { type.hasPrefix($0) }), "\(type)")
        #expect(response.fields.count(of: .contentType) == 1 && response.fields.count(of: .contentDisposition) == 1)
    }
}

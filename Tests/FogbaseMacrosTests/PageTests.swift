internal import Foundation
internal import Testing

/// The module's page, compared with the macros.
@Suite struct PageTests {
    @Test func `the example on the page is what the macro writes`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let page = try String(
            contentsOf: root.appending(path: "Sources/FogbaseMacros/FogbaseMacros.docc/FogbaseMacros.md"),
            encoding: .utf8)
        let parts = page.components(separatedBy: "```")
        let blocks = parts.filter { $0.hasPrefix("swift\n") }.map { $0.dropFirst("swift\n".count) }
        let (model, result) = (try #require(blocks.first), try #require(blocks.dropFirst().first))
        let written = Expansion(String(model)).extensions
        #expect(written.trimmingCharacters(in: .newlines) == result.trimmingCharacters(in: .newlines))
    }
}

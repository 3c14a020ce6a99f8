#if FOGBASE_MACROS

    import Foundation
    import TestSupport
    import Testing

    /// The code of the manual was compiled: each block of Swift occurs, line by line, in an example or in a test of
    /// this directory, which runs it.
    @Suite struct ManualTests {
        @Test(arguments: ManualText.pages)
        func `the code on every page was compiled`(page: String) throws {
            for block in try ManualText.blocks(page) where !Self.isManifest(block) {
                let paragraphs = ManualText.paragraphs(block)
                let isCompiled = ManualText.sources.values.contains { ManualText.stand(paragraphs, in: $0) }
                #expect(isCompiled, "\(page) has code that stands in no source:\n\(block)")
            }
        }

        @Test func `a changed, missing or moved line is found`() {
            let source = ManualText.code("func a() {\n    // Why.\n    b()\n    #expect(x)\n\n    c()\n}\nd()")
            for same in ["  b()\n  c() \n}", "b()\n\nd()", "import A\n\nfunc a() {\n\n    // So.\n    c()"] {
                #expect(ManualText.stand(ManualText.paragraphs(same), in: source), "\(same)")
            }
            for other in ["b()\nd()", "c()\nb()", "c()\n\nb()", "b", "d()\ne()", "d()\n\nd()", ""] {
                #expect(!ManualText.stand(ManualText.paragraphs(other), in: source), "\(other)")
            }
        }

        @Test func `the manual has its pages, with code on each but those that compare`() throws {
            let prose = ["FogbaseClient.docc/Porting.md"]
            #expect(ManualText.pages.count >= 14)
            for page in ManualText.pages where !prose.contains(where: page.hasSuffix) {
                #expect(try ManualText.blocks(page).count >= 3, "\(page)")
            }
        }

        @Test func `no two pages share an account or a record type, so that all of them work on one server`() throws {
            var owners: [String: String] = [:]
            // Testing.md uses the server in memory. The README and the tutorial continue the same story with curl.
            let pages = ManualText.pages + ["Sources/fogbase/fogbase.docc/Tutorial.md"]
            for page in pages where !page.hasSuffix("Testing.md") {
                for language in ["sh", "swift"] {
                    let code = try ManualText.blocks(page, language).joined(separator: "\n")
                    let part = language == "sh" ? "curl" : page
                    for name in Self.names(in: code) {
                        let owner = owners.updateValue(part, forKey: name) ?? part
                        #expect(owner == part, "\(name) is of \(owner), too")
                    }
                }
            }
            #expect(owners["account ada"] == "curl" && owners["account mia"] == "README.md")
            #expect(owners["type Story"] == "curl" && owners["type NewsArticle"] == "README.md")
            #expect(owners.count > 25)
        }

        /// The client exports the public types of RecordModel too.
        @Test func `the first page lists all public types, and nothing else`() throws {
            let page = "Sources/FogbaseClient/FogbaseClient.docc/FogbaseClient.md"
            let topics = try #require(try ManualText.text(page).components(separatedBy: "## Topics").last)
            let listed = topics.matches(of: #/\n- ``(\w+)/#).map { String($0.output.1) }
            let declaration =
                #/\n(?: {4}public macro|public (?:final |indirect )?(?:struct|enum|class|actor|protocol|let|func|typealias)) (\w+)/#
            let code = try ["FogbaseClient", "FogbaseMacros", "RecordModel"].flatMap { module in
                try ManualText.files(in: "Sources/" + module, ending: ".swift").map { "\n" + (try ManualText.text($0)) }
            }
            let declared = Set(code.flatMap { $0.matches(of: declaration).map { String($0.output.1) } })
            #expect(Set(listed).symmetricDifference(declared).sorted() == [])
        }

        /// The accounts and the record types of code for a shell or in Swift.
        private static func names(in code: String) -> Set<String> {
            let accounts = #/(?:signUp\(|nameAccount\(|as: |"name":)"(\w+)"|enter (\w+) '/#
            let types = #/@RecordCodable\s+struct (\w+)|@RecordCodable\("(\w+)"\)|struct (\w+): Codable, RecordCodable/#
            let paths = #//records/(\w+)|"recordType":"(\w+)"/#
            return Set(code.matches(of: accounts).compactMap { $0.output.1 ?? $0.output.2 }.map { "account \($0)" })
                .union(
                    code.matches(of: types).compactMap { $0.output.1 ?? $0.output.2 ?? $0.output.3 }.map {
                        "type \($0)"
                    }
                )
                .union(code.matches(of: paths).compactMap { $0.output.1 ?? $0.output.2 }.map { "type \($0)" })
        }

        /// SwiftPM reads them, which takes a moment.
        @Test(
            .timeLimit(.minutes(2)),
            arguments: ["README.md", "Sources/FogbaseClient/FogbaseClient.docc/GettingStarted.md"])
        func `the manifest of a package is valid`(page: String) throws {
            let manifests = try ManualText.blocks(page).filter(Self.isManifest).map { block in
                // A part of a block represents the whole.
                guard block.hasPrefix("dependencies:") else { return block }
                return "// swift-tools-version: 6.2\nimport PackageDescription\n"
                    + "let package = Package(name: \"app\", platforms: [.macOS(.v13)],\n\(block))"
            }
            #expect(manifests.count == 1)
            let folder = try TestDirectory()
            for manifest in manifests {
                try Data(manifest.utf8).write(to: folder.url.appendingPathComponent("Package.swift"))
                let swift = Process()
                swift.executableURL = URL(fileURLWithPath: "/usr/bin/env")
                swift.arguments = ["swift", "package", "--package-path", folder.url.path, "dump-package"]
                swift.standardOutput = FileHandle.nullDevice
                try swift.start()
                swift.waitUntilExit()
                #expect(swift.terminationStatus == 0, "\(manifest)")
            }
        }

        private static func isManifest(_ block: String) -> Bool {
            block.contains("import PackageDescription") || block.hasPrefix("dependencies:")
        }
    }

#endif

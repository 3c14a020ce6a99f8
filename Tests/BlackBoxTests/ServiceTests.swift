import Foundation
import Testing

/// The commands of the page for operators that need only a server. `make test-install` runs those of the page Deploying.
@Suite struct ServiceTests {
    private static let operating = "Sources/fogbase/fogbase.docc/Operating.md"

    @Test func `a backup is downloaded by the printed commands, also a second time`() throws {
        let blocks = try Shell.blocks(of: Self.operating).filter { $0.contains("/backup/archive/file") }
        try #require(blocks.count == 1)
        let server = try ServerProcess()
        let run = try Shell.run(blocks + blocks + ["ls -l fogbase-*.tar"], port: server.port)
        #expect(run.status == 0, "\(run.text)")
        for response in run.responses.prefix(2) {
            #expect(response.contains(#""state":"done""#), "\(response)")
            #expect(response.split(separator: "\n").last?.hasPrefix("fogbase-") == true, "\(response)")
        }
        #expect(run.responses.last?.hasPrefix("-rw-------") == true, "It has all secrets: \(run.text)")
    }
}

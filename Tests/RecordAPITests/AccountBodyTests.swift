import Foundation
import HTTP
import RecordAPI
import RecordEngine
import RecordModel
import RecordWire
import Testing

@Suite struct AccountBodyTests {
    @Test func `credentials are small, whatever a body may have elsewhere`() async throws {
        let directory = NSTemporaryDirectory() + "fogbase-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let id = DatabaseID(container: try #require(ContainerName("Test")), environment: .development)
        let registry = DatabaseRegistry(
            DatabaseRegistry.Configuration(dataPath: directory, containers: [id.container], passwordThreads: 1))
        let api = RecordAPI(
            registry: registry, configuration: RecordAPIConfiguration(defaultDatabase: id, version: "test"))
        let context = api.makeContext()
        let zeros = Array(repeating: "0", count: 20_000).joined(separator: ",")
        for path in ["/users", "/sessions"] {
            let request = HTTPRequest(
                method: .post, target: try #require(RequestTarget(path)),
                body: .bytes(Array("{\"name\":[\(zeros)],\"password\":\"\"}".utf8)))
            #expect(await api.respond(to: request, in: context).status == .contentTooLarge)
        }
        context.closeReaders()
        await registry.close()
    }
}

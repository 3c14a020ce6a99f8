import FogbaseClient
import Foundation
import RecordModel
import Testing

@Suite struct AssetTests {
    private struct Film: Codable, RecordCodable, Equatable {
        var title: String
        var file: Asset?
    }

    @Test func `bytes are uploaded, put into a record, and read by address and by field`() async throws {
        let server = try LiveServer()
        let database = server.administrator.publicDatabase
        let steps = Steps()
        let bytes = Data("hello, sea".utf8)
        let asset = try await database.upload(
            bytes, contentType: "text/plain", filename: "a b.txt", progress: steps.take)
        #expect(asset.size == 10 && asset.contentType == "text/plain" && asset.filename == "a b.txt")
        #expect(asset.receipt != nil)
        #expect(steps.all.map(\.completedBytes) == [0, 10] && steps.all.last?.fraction == 1)

        let film = try await database.create(Film(title: "sea", file: asset), named: "sea film")
        let kept = try #require(film.file)
        #expect(kept.receipt == nil && kept.fileChecksum == asset.fileChecksum)
        let field = AssetSource.field("file", of: "Film", "sea film")
        #expect(try await database.data(of: .asset(kept)) == bytes)
        #expect(try await database.data(of: .asset(asset)) == bytes)
        #expect(try await database.data(of: field) == bytes)
        #expect(try await database.data(of: field, range: 7..<100) == Data("sea".utf8))
        #expect(try await database.data(of: .asset(kept), range: 0..<5) == Data("hello".utf8))
        let beyond = await #expect(throws: FogbaseError.self) { try await database.data(of: field, range: 10..<20) }
        #expect(beyond?.serverError?.cause == .rangeNotSatisfiable && beyond?.status == 416)

        let bare = Asset(fileChecksum: kept.fileChecksum, size: kept.size)
        let rejected = await #expect(throws: FogbaseError.self) { try await database.data(of: .asset(bare)) }
        guard case .invalidArgument? = rejected else { throw rejected ?? CancellationError() }
        let stranger = await #expect(throws: FogbaseError.self) {
            try await server.client().privateDatabase.data(of: field)
        }
        guard case .notAuthenticated? = stranger else { throw stranger ?? CancellationError() }
    }

    @Test func `a large file is uploaded in parts and downloaded whole`() async throws {
        let server = try LiveServer()
        let database = server.administrator.publicDatabase
        let directory = try TestDirectory()
        let file = try directory.file("film.bin", bytes: 21 << 20)
        let (up, down) = (Steps(), Steps())
        let asset = try await database.upload(file, contentType: "video/mp4", progress: up.take)
        #expect(asset.size == 21 << 20 && asset.filename == "film.bin" && asset.contentType == "video/mp4")
        #expect(up.all.map { $0.completedBytes >> 20 } == [0, 4, 8, 12, 16, 20, 21])

        let copy = directory.url.appendingPathComponent("copy.bin")
        try Data("old".utf8).write(to: copy)
        try await database.download(.asset(asset), to: copy, progress: down.take)
        #expect(try Data(contentsOf: copy) == Data(contentsOf: file))
        #expect(down.all.last == TransferProgress(completedBytes: 21 << 20, totalBytes: 21 << 20))
        #expect(down.all.count > 3)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: directory.url.path).sorted() == [
                "copy.bin", "film.bin",
            ])
    }

    @Test func `an upload continues in a later run of the app and can be abandoned`() async throws {
        let server = try LiveServer()
        let container = server.client()
        try await container.signUp("ada", password: "correct horse")
        let database = container.privateDatabase
        let directory = try TestDirectory()
        let file = try directory.file("film.bin", bytes: 10 << 20)
        let upload = try await database.beginUpload(of: file)
        let (parts, told) = AsyncStream.makeStream(of: Int64.self)
        let first = Task {
            try await database.resume(upload, from: file) { step in
                told.yield(step.completedBytes)
                // The app is ended in the middle.
                if step.completedBytes > 0 { withUnsafeCurrentTask { $0?.cancel() } }
            }
        }
        await #expect(throws: CancellationError.self) { try await first.value }
        told.finish()
        #expect(await parts.reduce(into: []) { $0.append($1) } == [0, 4 << 20])

        let kept = try JSONDecoder().decode(ResumableUpload.self, from: JSONEncoder().encode(upload))
        let steps = Steps()
        let asset = try await database.resume(kept, from: file, progress: steps.take)
        #expect(steps.all.first?.completedBytes ?? 0 >= 4 << 20)
        #expect(try await database.data(of: .asset(asset)) == Data(contentsOf: file))
        #expect(try await database.resume(kept, from: file).fileChecksum == asset.fileChecksum)

        let shorter = try directory.file("shorter.bin", bytes: 5)
        let wrong = await #expect(throws: FogbaseError.self) { try await database.resume(kept, from: shorter) }
        guard case .invalidArgument? = wrong else { throw wrong ?? CancellationError() }
        let another = try await database.beginUpload(length: 5)
        try await database.abandon(another)
        try await database.abandon(another)
        let gone = await #expect(throws: FogbaseError.self) { try await database.resume(another, from: shorter) }
        guard case .notFound? = gone else { throw gone ?? CancellationError() }
    }

    @Test func `a missing file and an unwritable destination are reported`() async throws {
        let server = try LiveServer()
        let database = server.administrator.publicDatabase
        let directory = try TestDirectory()
        let nowhere = directory.url.appendingPathComponent("none/file")
        let missing = await #expect(throws: FogbaseError.self) { try await database.upload(nowhere) }
        guard case .invalidArgument? = missing else { throw missing ?? CancellationError() }
        let asset = try await database.upload(Data())
        #expect(asset.size == 0)
        let rejected = await #expect(throws: FogbaseError.self) {
            try await database.download(.asset(asset), to: nowhere)
        }
        guard case .invalidArgument? = rejected else { throw rejected ?? CancellationError() }
        let empty = directory.url.appendingPathComponent("empty")
        try await database.download(.asset(asset), to: empty)
        #expect(try Data(contentsOf: empty).isEmpty)
    }

    @Test func `the thumbnail of a file that is no picture is rejected with its type`() async throws {
        let server = try LiveServer()
        let database = server.administrator.publicDatabase
        let asset = try await database.upload(Data("no picture".utf8), contentType: "text/plain")
        let rejected = await #expect(throws: FogbaseError.self) {
            try await database.thumbnail(
                of: .asset(asset), Thumbnail(width: 10, height: 10, fit: .cover, format: .png))
        }
        #expect(rejected?.status == 415 || rejected?.serverError?.cause == .thumbnailsUnavailable)
        let none = await #expect(throws: FogbaseError.self) {
            try await database.thumbnail(of: .asset(asset), Thumbnail())
        }
        guard case .invalidArgument? = none else { throw none ?? CancellationError() }
    }

    @Test func `a thumbnail is requested with its dimensions, by address and by field`() async throws {
        let proxy = try CuttingProxy(to: 0)
        let database = Fogbase(proxy.url, retry: .never).container("a").publicDatabase
        for _ in 0..<2 {
            proxy.next("GET ", .respond("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nsea"))
        }
        var asset = Asset(fileChecksum: "", size: 3)
        asset.downloadURL = "/assets/x"
        let small = Thumbnail(width: 200, fit: .cover, format: .webp)
        #expect(try await database.thumbnail(of: .asset(asset), small) == Data("sea".utf8))
        #expect(proxy.requests.hasPrefix("GET /assets/x?width=200&fit=cover&format=webp HTTP/1.1"))
        let member = AssetSource.field("files", of: "Film", "a b", index: 1)
        #expect(try await database.thumbnail(of: member, Thumbnail(height: 9)) == Data("sea".utf8))
        #expect(
            proxy.requests.contains("GET /records/Film/a%20b/files?container=a&height=9&fit=contain&index=1 HTTP/1.1"))
    }
}

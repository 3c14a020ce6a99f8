import Glibc
import Testing

@testable import fogbase

@Suite struct AdministratorTokenTests {
    @Test func `the first start makes a token, and the next knows it by its hash`() throws {
        let directory = TemporaryDirectory()
        let data = directory.path + "/data"
        let first = try AdministratorToken(configured: "", directory: data)
        let token = try #require(first.newToken)
        #expect(token.hasPrefix("fogadm_"))
        #expect(token.utf8.count == 7 + 43)
        let lost = try AdministratorToken(configured: "", directory: data)
        #expect(lost.newToken != nil && lost.newToken != token, "One that nobody has kept is none")
        try first.keep(in: data)
        let second = try AdministratorToken(configured: "", directory: data)
        #expect(second.newToken == nil)
        try second.keep(in: data)
        #expect(second.hash == first.hash)
        #expect(try AdministratorToken(configured: token, directory: data).hash == first.hash)
    }

    @Test func `the file holds only the hash and is private to its owner`() throws {
        let directory = TemporaryDirectory()
        let made = try AdministratorToken(configured: "", directory: directory.path)
        try made.keep(in: directory.path)
        let path = AdministratorToken.path(in: directory.path)
        let text = try #require(try TextFile.read(path))
        #expect(text == "\(made.hash)\n")
        #expect(!text.contains(try #require(made.newToken)))
        var status = stat()
        #expect(stat(path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
    }

    @Test func `a token of the configuration makes no file and leaves one as it is`() throws {
        let directory = TemporaryDirectory()
        let configured = try AdministratorToken(configured: "0123456789abcdef", directory: directory.path)
        #expect(configured.newToken == nil)
        try configured.keep(in: directory.path)
        #expect(try TextFile.read(AdministratorToken.path(in: directory.path)) == nil)
        let made = try AdministratorToken(configured: "", directory: directory.path)
        #expect(made.newToken != nil)
        try made.keep(in: directory.path)
        _ = try AdministratorToken(configured: "0123456789abcdef", directory: directory.path)
        #expect(try AdministratorToken(configured: "", directory: directory.path).hash == made.hash)
    }

    @Test func `a damaged file is an error and no new token`() throws {
        let directory = TemporaryDirectory()
        let path = AdministratorToken.path(in: directory.path)
        let file = try #require(fopen(path, "w"))
        fputs("nonsense\n", file)
        fclose(file)
        #expect(throws: Failure.self) { try AdministratorToken(configured: "", directory: directory.path) }
        #expect(try TextFile.read(path) == "nonsense\n")
    }
}

import Glibc
import Testing

@testable import fogbase

@Suite struct AdministratorTokenTests {
    @Test func `the first start makes a token, and the next knows it by its hash`() throws {
        let folder = TemporaryFolder()
        let data = folder.path + "/data"
        let first = try AdministratorToken(configured: "", folder: data)
        let token = try #require(first.newToken)
        #expect(token.hasPrefix("fogadm_"))
        #expect(token.utf8.count == 7 + 43)
        let lost = try AdministratorToken(configured: "", folder: data)
        #expect(lost.newToken != nil && lost.newToken != token, "One that nobody has kept is none")
        try first.keep(in: data)
        let second = try AdministratorToken(configured: "", folder: data)
        #expect(second.newToken == nil)
        try second.keep(in: data)
        #expect(second.hash == first.hash)
        #expect(try AdministratorToken(configured: token, folder: data).hash == first.hash)
    }

    @Test func `the file holds the hash alone and is its owner's`() throws {
        let folder = TemporaryFolder()
        let made = try AdministratorToken(configured: "", folder: folder.path)
        try made.keep(in: folder.path)
        let path = AdministratorToken.path(in: folder.path)
        let text = try #require(try TextFile.read(path))
        #expect(text == "\(made.hash)\n")
        #expect(!text.contains(try #require(made.newToken)))
        var status = stat()
        #expect(stat(path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
    }

    @Test func `a token of the configuration makes no file and leaves one as it is`() throws {
        let folder = TemporaryFolder()
        let configured = try AdministratorToken(configured: "0123456789abcdef", folder: folder.path)
        #expect(configured.newToken == nil)
        try configured.keep(in: folder.path)
        #expect(try TextFile.read(AdministratorToken.path(in: folder.path)) == nil)
        let made = try AdministratorToken(configured: "", folder: folder.path)
        #expect(made.newToken != nil)
        try made.keep(in: folder.path)
        _ = try AdministratorToken(configured: "0123456789abcdef", folder: folder.path)
        #expect(try AdministratorToken(configured: "", folder: folder.path).hash == made.hash)
    }

    @Test func `a damaged file is an error and no new token`() throws {
        let folder = TemporaryFolder()
        let path = AdministratorToken.path(in: folder.path)
        let file = try #require(fopen(path, "w"))
        fputs("nonsense\n", file)
        fclose(file)
        #expect(throws: Failure.self) { try AdministratorToken(configured: "", folder: folder.path) }
        #expect(try TextFile.read(path) == "nonsense\n")
    }
}

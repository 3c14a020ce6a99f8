import FogbaseClient
import Foundation
import Testing

/// The behavior of code that was written for CloudKit after search and replace.
@Suite struct CloudKitNamesTests {
    @Test func `a posting app runs with CloudKit's names`() async throws {
        let server = try LiveServer()
        let tokens = MemoryTokenStore()
        let container = FBContainer(server: server.url, tokens: tokens)
        #expect(try await container.accountStatus() == .noAccount)
        _ = try await container.container.signUp("ann", password: "correct horse battery")
        #expect(try await container.accountStatus() == .available)
        let database = container.publicCloudDatabase

        let id = FBRecord.ID(recordName: UUID().uuidString, recordType: "Post")
        let record = FBRecord(recordType: "Post", recordID: id)
        record["title"] = "sea"
        record["threadname"] = "Anchors"
        record["good"] = 3
        record["rating"] = 2.5
        record["isPinned"] = true
        record["timestamp"] = Date(timeIntervalSince1970: 1_772_366_400)
        record["tags"] = ["a", "b"]
        try await database.save(record)
        #expect(record.recordChangeTag != nil && record.changedKeys().isEmpty)
        #expect(try await container.userRecordID().recordName == record.creatorUserRecordID?.recordName)

        let predicate = FBPredicate(format: "threadname == %@ AND timestamp <= %@", "Anchors", Date())
        let query = FBQuery(recordType: "Post", predicate: predicate)
        query.sortDescriptors = [FBSortDescriptor(key: "timestamp", ascending: false)]
        let (results, cursor) = try await database.records(matching: query)
        #expect(results.count == 1 && cursor == nil)
        let found = try #require(try results.first?.1.get())
        #expect(found["title"] as? String == "sea" && found["good"] as? Int == 3 && found["rating"] as? Double == 2.5)
        #expect(found["isPinned"] as? Bool == true && found["tags"] as? [String] == ["a", "b"])
        #expect(found["timestamp"] as? Date == Date(timeIntervalSince1970: 1_772_366_400))

        // Two change the record; the second meets a conflict, and wins it by sending its keys alone.
        found["good"] = 4
        record["title"] = "fog"
        try await database.save(record)
        do {
            try await database.save(found)
            Issue.record("It was saved over the other's change")
        } catch let error as FBError {
            #expect(error.code == .serverRecordChanged)
            #expect(error.serverRecord?["title"] as? String == "fog" && error.ancestorRecord?["good"] as? Int == 3)
        }
        let (saved, _) = try await database.modifyRecords(saving: [found], deleting: [], savePolicy: .changedKeys)
        #expect(try saved[found.recordID]?.get()["title"] as? String == "fog")

        #expect("\(found)".hasPrefix("FBRecord(Post \(id.recordName), {") && "\(found)".contains("title: fog"))

        // As in CloudKit, a name is enough.
        let name = FBRecord.ID(recordName: id.recordName)
        #expect(try await database.deleteRecord(withID: name) == name)
        await #expect(throws: FBError.self) { try await database.deleteRecord(withID: name) }
        do {
            _ = try await database.record(for: id)
            Issue.record("It is still there")
        } catch let error as FBError {
            #expect(error.code == .unknownItem)
        }
    }

    @Test func `a file is uploaded with its record and loaded when it is asked for`() async throws {
        let server = try LiveServer()
        let container = FBContainer(server: server.url)
        _ = try await container.container.signUp("ann", password: "correct horse battery")
        let database = container.publicCloudDatabase
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: file) }
        try Data("picture".utf8).write(to: file)
        let record = FBRecord(recordType: "Goods")
        record["image"] = FBAsset(fileURL: file)
        record["parent"] = Optional<String>.none
        record["of"] = FBRecord.Reference(recordID: FBRecord.ID(recordName: "shop"), action: .deleteSelf)
        try await database.save(record)
        let read = try await database.record(for: record.recordID)
        let asset = try #require(read["image"] as? FBAsset)
        let copy = try await database.fileURL(of: asset)
        defer { try? FileManager.default.removeItem(at: copy) }
        #expect(try Data(contentsOf: copy) == Data("picture".utf8))
        #expect((read["of"] as? FBRecord.Reference)?.action == .deleteSelf)
        #expect(
            try await database.perform(FBQuery(recordType: "Goods", predicate: FBPredicate(value: true))).count == 1)
    }

    @Test func `guests may read and not write, and get CloudKit's codes`() async throws {
        let server = try LiveServer()
        let database = FBContainer(server: server.url).publicCloudDatabase
        let record = FBRecord(recordType: "Post")
        record["title"] = "sea"
        do {
            try await database.save(record)
            Issue.record("A guest wrote")
        } catch let error as FBError {
            #expect(error.code == .notAuthenticated)
        }
        do {
            _ = try await database.record(for: FBRecord.ID(recordName: "a"))
            Issue.record("A record was found without its type")
        } catch let error as FBError {
            #expect(error.code == .invalidArguments)
        }
    }
}

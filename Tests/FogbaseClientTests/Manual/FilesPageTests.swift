#if FOGBASE_MACROS

    import FogbaseClient
    import Foundation
    import Testing

    @Suite struct FilesPageTests {
        @RecordCodable
        struct Film {
            var title: String
            var file: Asset?
            var stills: [Asset] = []
        }

        @Test func `files go up and come back as the page says`() async throws {
            let live = try LiveServer()
            let container = live.client()
            try await container.signUp("ann", password: "correct horse battery")
            let database = container.publicDatabase
            let folder = try TestDirectory()
            let movie = try folder.file("fog.mp4", bytes: 9 << 20)
            let picture = Data("no picture".utf8)
            let copy = folder.url.appendingPathComponent("copy.mp4")

            let still = try await database.upload(picture, contentType: "image/jpeg", filename: "fog.jpg")
            let file = try await database.upload(movie, contentType: "video/mp4") { progress in
                print("\(progress.completedBytes) of \(progress.totalBytes ?? 0) bytes")
            }
            let film = try await database.create(Film(title: "Fog", file: file, stills: [still]))
            #expect(film.file?.size == 9 << 20 && film.file?.filename == "fog.mp4")

            if let file = film.file {
                try await database.download(.asset(file), to: copy) { progress in
                    print(progress.fraction ?? 0)
                }
                let head = try await database.data(of: .asset(file), range: 0..<1_024)
                print("\(head.count) bytes, \(file.contentType ?? "")")
            }
            #expect(try Data(contentsOf: copy) == Data(contentsOf: movie))

            let second = try await database.data(of: .field("stills", of: "Film", film.id, index: 0))
            print("\(second.count) bytes")
            #expect(second == picture)

            do {
                do {
                    let box = Thumbnail(width: 320, height: 320, fit: .cover, format: .webp)
                    let small = try await database.thumbnail(of: .field("stills", of: "Film", film.id, index: 0), box)
                    print("\(small.count) bytes")
                } catch let error as FogbaseError where error.serverError?.cause == .thumbnailsUnavailable {
                    print("This server makes no small pictures.")
                }
            } catch let error as FogbaseError {
                // It is no picture.
                #expect(error.status == 415 || error.status == 422)
            }
        }

        @Test func `an upload goes on with what an app has kept`() async throws {
            let live = try LiveServer()
            let container = live.client()
            try await container.signUp("ann", password: "correct horse battery")
            let database = container.publicDatabase
            let folder = try TestDirectory()
            let movie = try folder.file("fog.mp4", bytes: 5 << 20)

            let upload = try await database.beginUpload(of: movie, contentType: "video/mp4")
            let kept = try JSONEncoder().encode(upload)
            let later = try JSONDecoder().decode(ResumableUpload.self, from: kept)
            let file = try await database.resume(later, from: movie)
            #expect(file.size == 5 << 20)
            #expect(try await database.create(Film(title: "Fog", file: file)).file?.contentType == "video/mp4")
        }
    }

#endif

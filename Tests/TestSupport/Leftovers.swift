import Foundation
import Synchronization

/// Folders that tests share, and that nobody knows the last user of.
package enum Leftovers {
    private static let folders = Mutex<[String]>([])

    /// Has a folder taken away when the process ends.
    package static func remove(atExit folder: String) {
        let isFirst = folders.withLock { folders in
            folders.append(folder)
            return folders.count == 1
        }
        guard isFirst else { return }
        atexit {
            for folder in Leftovers.folders.withLock({ $0 }) { try? FileManager.default.removeItem(atPath: folder) }
        }
    }
}

// Japanese: references, rights and changes of records, and the editors of their fields.

export const records = {
    // Users
    "administrator": "管理者",
    "anonymous": "匿名",
    "deleted account": "削除されたアカウント",
    "key {name}": "キー {name}",
    "account name": "アカウント名",
    "modified by": "変更者",
};

//! The SQL that is sent to databases: any names, and any query of the owner's, read back.
//!
//! The bytes of the target are names with a unit separator (U+001F) between them: the first is a
//! table, and a query as well, the others are columns.

use privacy_sql_statements::duckdb::{self, ReadColumn};
use privacy_sql_statements::{Relation, files, postgres};

use crate::sql_lexer::{Token, Unlexed, tokens};

/// Between two names.
const BETWEEN: char = '\u{1f}';

/// Statements about any names are the tokens that they must be, with each name as one of them, so
/// that no name breaks out of its quotes.
pub(crate) fn identifiers(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    let mut names = text.split(BETWEEN);
    let first = names.next().unwrap_or_default();
    let columns: Vec<&str> = names.collect();
    is_read_back(
        &files::rows(&columns),
        [vec![word("SELECT")], listed(&columns, name), vec![word("FROM"), word("data")]],
    );
    let counted = [expected("SELECT marginals ("), listed(&columns, name), expected(") FROM data")];
    is_read_back(&files::marginals(&columns), counted);
    of_query(first, &columns);
    of_table(first, &columns)
}

/// A table, unless it is refused; the parts of a name are those that another rule finds.
fn of_table(first: &str, columns: &[&str]) -> bool {
    let parts: Vec<&str> = first.split('.').collect();
    let is_name = matches!(parts.len(), 1 | 2) && !parts.contains(&"") && !first.contains('\0');
    let Ok(relation) = Relation::table(first) else {
        assert!(!is_name, "a name is refused");
        return false;
    };
    assert!(is_name, "what is no name is taken for one");
    let mut from = name(parts[0]);
    if let Some(part) = parts.get(1) {
        from = [from, vec![Token::Symbol('.')], name(part)].concat();
    }
    of_relation(&relation, columns, &from, &from);
    assert_eq!(postgres::has_whole_names(&relation), parts.iter().all(|part| part.len() < 64));
    postgres::has_whole_names(&relation)
}

/// A query of the owner's is within what stands around it: its end hides nothing.
fn of_query(query: &str, columns: &[&str]) {
    let Ok(relation) = Relation::query(query) else {
        assert!(query.contains('\0'), "a query is refused");
        return;
    };
    let Relation::Query(kept) = &relation else { panic!("a query is no table") };
    // What does not end by itself is refused by the database.
    let (Ok(kept), Ok(whole)) = (tokens(kept), tokens(query)) else { return };
    assert!(whole.starts_with(&kept), "a query is what it was");
    assert!(whole[kept.len()..].iter().all(|token| *token == Token::Symbol(';')), "without its end");
    let postgres = [expected("("), kept.clone(), expected(") AS data")].concat();
    let duckdb = [expected("("), kept, expected(") AS asked")].concat();
    of_relation(&relation, columns, &postgres, &duckdb);
}

/// All statements about a relation, which stand behind FROM as these tokens.
fn of_relation(relation: &Relation, columns: &[&str], in_postgres: &[Token], in_duckdb: &[Token]) {
    let from = |tokens: &[Token]| [vec![word("FROM")], tokens.to_vec()].concat();
    let copied = |query: Vec<Token>| [expected("COPY ("), query, expected(") TO STDOUT ( FORMAT binary )")];
    let rows = [vec![word("SELECT")], listed(columns, as_text), from(in_postgres)].concat();
    is_read_back(&postgres::rows(relation, columns), copied(rows));
    if !columns.is_empty() {
        let places = (1..=columns.len()).map(|place| vec![Token::Number(place.to_string())]).collect();
        let groups = [
            vec![word("SELECT")],
            listed(columns, collated),
            expected(", count ( * ) : : text"),
            from(in_postgres),
            expected("GROUP BY"),
            with_commas(places),
        ];
        is_read_back(&postgres::groups(relation, columns), copied(groups.concat()));
    }
    is_read_back(&postgres::no_rows(relation), [expected("SELECT *"), from(in_postgres), expected("LIMIT 0")]);
    let read: Vec<ReadColumn<'_>> =
        columns.iter().enumerate().map(|(at, name)| ReadColumn { name, as_text: at % 2 == 1 }).collect();
    let values = read.iter().map(|column| if column.as_text { cast(column.name) } else { name(column.name) }).collect();
    is_read_back(&duckdb::rows(relation, &read), [vec![word("SELECT")], with_commas(values), from(in_duckdb)]);
    is_read_back(&duckdb::number(relation), [expected("SELECT count ( * )"), from(in_duckdb), Vec::new()]);
    if let Relation::Table(_) = relation {
        is_read_back(&duckdb::all_columns(relation), [expected("SELECT *"), from(in_duckdb), Vec::new()]);
    }
}

/// A statement is these tokens; a server takes no statement with a NUL in a name.
fn is_read_back(sql: &str, parts: [Vec<Token>; 3]) {
    let parts = parts.concat();
    let has_nul = parts.iter().any(|token| matches!(token, Token::Quoted(name) if name.contains('\0')));
    match tokens(sql) {
        Ok(read) => assert_eq!(read, parts, "a name is more than a name"),
        Err(why) => assert!(has_nul && why == Unlexed::Nul, "{why:?} in a statement"),
    }
}

fn word(text: &str) -> Token {
    Token::Word(text.to_owned())
}

/// Tokens that are written with spaces between them: words, numbers and symbols.
fn expected(text: &str) -> Vec<Token> {
    text.split(' ').map(plain).collect()
}

fn plain(piece: &str) -> Token {
    match piece.chars().next() {
        Some(digit) if digit.is_ascii_digit() => Token::Number(piece.to_owned()),
        Some(symbol) if !symbol.is_ascii_alphabetic() => Token::Symbol(symbol),
        _ => word(piece),
    }
}

fn name(text: &str) -> Vec<Token> {
    vec![Token::Quoted(text.to_owned())]
}

fn as_text(text: &str) -> Vec<Token> {
    [name(text), expected(": : text")].concat()
}

fn collated(text: &str) -> Vec<Token> {
    [as_text(text), vec![word("COLLATE"), Token::Quoted("C".to_owned())]].concat()
}

fn cast(text: &str) -> Vec<Token> {
    [expected("CAST ("), name(text), expected("AS VARCHAR ) AS"), name(text)].concat()
}

fn listed(columns: &[&str], tokens: fn(&str) -> Vec<Token>) -> Vec<Token> {
    with_commas(columns.iter().map(|column| tokens(column)).collect())
}

fn with_commas(items: Vec<Vec<Token>>) -> Vec<Token> {
    items.join(&Token::Symbol(','))
}

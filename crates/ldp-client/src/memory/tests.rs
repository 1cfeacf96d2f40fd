use super::*;
use crate::{BitNoise, Feature, FormatError};
use privacy_core::Attribute;
use privacy_core::param::{Epsilon, Probability};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;

fn noise(p: f64, q: f64) -> BitNoise {
    BitNoise::new(Probability::new(p).unwrap(), Probability::new(q).unwrap()).unwrap()
}

fn rappor(name: &str, values: usize) -> Feature {
    let protocol = Protocol::Rappor { permanent: noise(0.25, 0.75), instantaneous: noise(0.0, 1.0) };
    Feature::new(Attribute::codes(name, values).unwrap(), protocol).unwrap()
}

fn client_of(features: Vec<Feature>) -> Client {
    Client::new(Schema::new(features).unwrap())
}

fn rng() -> ChaCha20Rng {
    ChaCha20Rng::from_seed([7; 32])
}

/// One round of one person: the report.
fn round(memory: &mut ResponseMemory, client: &Client, row: &[u32], changed: ChangedAnswer) -> Vec<u8> {
    let mut report = Vec::new();
    memory.begin_round();
    memory.recall(client, "ann", row, changed, &mut rng()).unwrap();
    memory.report(client, "ann", row, changed, &mut report, &mut rng()).unwrap();
    report
}

#[test]
fn everybody_reports_from_what_was_stored_and_once_a_round() {
    // The second stage adds no noise, so that a report shows the permanent bits.
    let client = client_of(vec![rappor("a", 40)]);
    let mut memory = ResponseMemory::new(&client);
    let first = round(&mut memory, &client, &[3], ChangedAnswer::Refuse);
    let mut stored = ResponseMemory::from_bytes(&memory.to_bytes(), &client).unwrap();
    let mut other = ChaCha20Rng::from_seed([8; 32]);
    stored.begin_round();
    assert!(!stored.recall(&client, "ann", &[3], ChangedAnswer::Refuse, &mut other).unwrap());
    assert!(stored.recall(&client, "bob", &[3], ChangedAnswer::Refuse, &mut other).unwrap());
    let again = stored.recall(&client, "ann", &[3], ChangedAnswer::Refuse, &mut other);
    assert_eq!(again, Err(RowError::TwiceInARound));
    let mut reports = Vec::new();
    for person in ["ann", "bob"] {
        stored.report(&client, person, &[3], ChangedAnswer::Refuse, &mut reports, &mut other).unwrap();
    }
    assert_eq!(reports[..5], first);
    assert_ne!(reports[5..], first);
    let twice = stored.report(&client, "ann", &[3], ChangedAnswer::Refuse, &mut reports, &mut other);
    assert_eq!(twice, Err(RowError::NotInThisRound));
    assert_eq!((stored.people(), stored.most_reports()), (2, 2));
}

#[test]
fn a_changed_answer_is_refused_kept_or_drawn_for() {
    let client = client_of(vec![rappor("a", 40)]);
    let mut memory = ResponseMemory::new(&client);
    let first = round(&mut memory, &client, &[3], ChangedAnswer::Refuse);
    let before = memory.to_bytes();
    memory.begin_round();
    let refused = memory.recall(&client, "ann", &[4], ChangedAnswer::Refuse, &mut rng());
    assert_eq!(refused, Err(RowError::AnswerChanged { feature: "a".to_owned() }));
    assert!(memory.to_bytes() == before, "a refused answer leaves nothing behind");
    assert_eq!(round(&mut memory, &client, &[4], ChangedAnswer::KeepFirst), first);
    assert!(!memory.has_drawn_again() && memory.epsilon(client.schema()) == client.schema().epsilon_forever());
    assert_ne!(round(&mut memory, &client, &[4], ChangedAnswer::DrawAgain), first);
    assert!(memory.has_drawn_again());
    assert!((memory.epsilon(client.schema()) - 2.0 * client.schema().epsilon_forever()).abs() < 1e-12);
    // An answer that returns is reported from what was drawn for it, and costs nothing.
    assert_eq!(round(&mut memory, &client, &[3], ChangedAnswer::DrawAgain), first);
    assert!((memory.epsilon(client.schema()) - 2.0 * client.schema().epsilon_forever()).abs() < 1e-12);
    assert_eq!(memory.most_reports(), 4);
}

#[test]
fn features_of_one_stage_cost_every_round_and_may_change() {
    let plain = Protocol::RandomisedResponse(BitNoise::symmetric(Epsilon::new(0.5).unwrap()).unwrap());
    let plain = Feature::new(Attribute::codes("b", 2).unwrap(), plain).unwrap();
    let client = client_of(vec![plain, rappor("a", 3)]);
    assert_eq!(client.schema().epsilon_forever(), f64::INFINITY);
    let mut memory = ResponseMemory::new(&client);
    (0..6).for_each(|i| drop(round(&mut memory, &client, &[i % 2, 2], ChangedAnswer::Refuse)));
    let expected = 6.0 * 0.5 + client.schema().features()[1].epsilon_forever().unwrap();
    assert!((memory.epsilon(client.schema()) - expected).abs() < 1e-9);
}

#[test]
fn every_byte_of_a_memory_matters() {
    let client = client_of(vec![rappor("a", 3), rappor("b", 7)]);
    let mut memory = ResponseMemory::new(&client);
    round(&mut memory, &client, &[0, 6], ChangedAnswer::Refuse);
    round(&mut memory, &client, &[2, 6], ChangedAnswer::DrawAgain);
    memory.begin_round();
    memory.recall(&client, "bob", &[1, 1], ChangedAnswer::Refuse, &mut rng()).unwrap();
    let stored = memory.to_bytes();
    let read = ResponseMemory::from_bytes(&stored, &client).unwrap();
    assert!(read.to_bytes() == stored && read.people() == 2);
    for at in 0..stored.len() {
        let mut changed = stored.clone();
        changed[at] ^= 0x10;
        assert!(ResponseMemory::from_bytes(&changed, &client).is_err(), "{at}");
        assert!(ResponseMemory::from_bytes(&stored[..at], &client).is_err(), "{at}");
        // A checksum can be made for any content: whatever is read is written alike.
        let end = stored.len() - 32;
        if at < end {
            use sha2::{Digest, Sha256};
            let checksum = Sha256::digest(&changed[..end]);
            changed[end..].copy_from_slice(&checksum);
            if let Ok(read) = ResponseMemory::from_bytes(&changed, &client) {
                assert_eq!(read.to_bytes(), changed, "{at}");
            }
        }
    }
    let other = client_of(vec![rappor("a", 3)]);
    assert_eq!(ResponseMemory::from_bytes(&stored, &other).err(), Some(FormatError::OtherSchema));
}

/// Bytes with a checksum of their own, whatever they say.
fn with_checksum(mut content: Vec<u8>) -> Vec<u8> {
    use sha2::{Digest, Sha256};
    let checksum = Sha256::digest(&content);
    content.extend(checksum);
    content
}

#[test]
fn people_who_cannot_be_are_refused_under_a_sound_checksum() {
    let client = client_of(vec![rappor("a", 3)]);
    let empty = ResponseMemory::new(&client).to_bytes();
    let header = &empty[..empty.len() - 32];
    // Name, reports, answers, and three permanent bits of each.
    let person = |name: &[u8], answers: &[u32]| {
        let mut person = [&(name.len() as u32).to_le_bytes()[..], name, &1_u64.to_le_bytes()].concat();
        person.extend((answers.len() as u32).to_le_bytes());
        answers.iter().for_each(|answer| person.extend(answer.to_le_bytes()));
        person.push(0);
        person
    };
    let read = |people: &[Vec<u8>]| {
        let mut content = header.to_vec();
        content[8] = people.len() as u8;
        content.extend(people.concat());
        ResponseMemory::from_bytes(&with_checksum(content), &client).map(|memory| memory.people())
    };
    assert_eq!(read(&[]), Ok(0));
    assert_eq!(read(&[person(b"ann", &[2, 0]), person(b"bob", &[1])]), Ok(2));
    for people in [
        vec![person(b"ann", &[3])],
        vec![person(b"ann", &[1, 1])],
        vec![person(b"ann", &[])],
        vec![person(b"ann", &[1]), person(b"ann", &[1])],
        vec![person(b"bob", &[1]), person(b"ann", &[1])],
    ] {
        assert_eq!(read(&people), Err(FormatError::Damaged));
    }
    for length in 48..80 {
        let short = ResponseMemory::from_bytes(&empty[..length], &client).err();
        assert_eq!(short, Some(FormatError::Length { expected: 80, got: length as u64 }));
    }
}

#[test]
fn a_row_of_another_schema_is_neither_recalled_nor_reported() {
    let (client, other) = (client_of(vec![rappor("a", 3)]), client_of(vec![rappor("b", 3)]));
    let mut memory = ResponseMemory::new(&client);
    let before = memory.to_bytes();
    for (of, row) in [(&other, &[1][..]), (&client, &[3]), (&client, &[1, 1])] {
        assert!(memory.recall(of, "ann", row, ChangedAnswer::Refuse, &mut rng()).is_err());
    }
    assert!(memory.to_bytes() == before);
    memory.recall(&client, "ann", &[1], ChangedAnswer::Refuse, &mut rng()).unwrap();
    let mut reports = Vec::new();
    let refused = memory.report(&other, "ann", &[1], ChangedAnswer::Refuse, &mut reports, &mut rng());
    assert!(refused == Err(RowError::OtherSchema) && reports.is_empty());
}

/// Costs that are no multiples of each other, so that every sum and product is rounded.
#[test]
fn every_cost_of_a_memory_is_rounded_up() {
    let plain = |name: &str, epsilon: f64| {
        let protocol = Protocol::RandomisedResponse(BitNoise::symmetric(Epsilon::new(epsilon).unwrap()).unwrap());
        Feature::new(Attribute::codes(name, 2).unwrap(), protocol).unwrap()
    };
    let staged = |name: &str, p: f64| {
        let protocol = Protocol::Rappor { permanent: noise(p, 1.0 - p), instantaneous: noise(0.25, 0.75) };
        Feature::new(Attribute::codes(name, 3).unwrap(), protocol).unwrap()
    };
    let mut rounded = 0;
    for step in 1..60 {
        let size = f64::from(step) / 61.0;
        let permanent = [staged("a", 0.4 * size), staged("b", 0.3 * size), staged("c", 0.1 + 0.2 * size)];
        let forever = permanent.clone().map(|feature| feature.epsilon_forever().unwrap());
        let schema = Schema::new(permanent.to_vec()).unwrap();
        assert!(schema.has_permanent_stage());
        assert_eq!(schema.epsilon_forever(), forever.iter().fold(0.0, |sum, &one| add_up(sum, one)));

        let others = [plain("d", size), plain("e", 0.7 * size), plain("f", 0.3 * size)];
        assert!(!Schema::new(others.to_vec()).unwrap().has_permanent_stage());
        let of_others = others.iter().fold(0.0, |sum, feature| add_up(sum, feature.epsilon()));
        let schema = Schema::new([&permanent[..], &others].concat()).unwrap();
        assert_eq!(schema.epsilon_of_others(), of_others);

        let client = Client::new(schema);
        let mut memory = ResponseMemory::new(&client);
        // Three answers of the first feature, two of the second, one of the third, in three rounds.
        for (first, second) in [(0, 1), (1, 2), (2, 2)] {
            round(&mut memory, &client, &[first, second, 0, 1, 0, 1], ChangedAnswer::DrawAgain);
        }
        let mut want = mul_up(3.0, of_others);
        for (answers, epsilon) in [3.0, 2.0, 1.0].into_iter().zip(forever) {
            want = add_up(want, mul_up(answers, epsilon));
        }
        assert_eq!(memory.epsilon(client.schema()), want);
        rounded += u32::from(want != 3.0 * of_others + 3.0 * forever[0] + 2.0 * forever[1] + forever[2]);
    }
    assert!(rounded > 20, "{rounded}");
}

/// No report of a feature whose reports exclude an answer costs nothing, and leaves the cost of the
/// permanent stage.
#[test]
fn a_person_without_reports_costs_what_was_drawn() {
    let certain = Feature::new(Attribute::codes("b", 2).unwrap(), Protocol::RandomisedResponse(noise(0.0, 0.5)));
    let client = client_of(vec![rappor("a", 3), certain.unwrap()]);
    assert_eq!(client.schema().epsilon_of_others(), f64::INFINITY);
    let mut memory = ResponseMemory::new(&client);
    memory.recall(&client, "ann", &[1, 1], ChangedAnswer::Refuse, &mut rng()).unwrap();
    memory.people.get_mut("ann").unwrap().reports = 0;
    let forever = client.schema().features()[0].epsilon_forever().unwrap();
    assert_eq!(memory.epsilon(client.schema()), forever);
}

/// What is answered together costs more than the sum of what it tells about each feature.
#[test]
fn rounds_of_features_that_are_answered_together_cost_all_of_them() {
    let attributes = |count: usize| (0..count).map(|i| Attribute::codes(format!("f{i}"), 2).unwrap()).collect();
    let epsilon = Epsilon::new(1.0).unwrap();
    let joint = Schema::of_joint_symbol(attributes(8), 8, epsilon).unwrap();
    let alone: f64 = joint.features().iter().map(Feature::epsilon).sum();
    assert!((alone - 0.107).abs() < 1e-3, "{alone}");
    for schema in [joint, Schema::of_parities(attributes(8), epsilon, None).unwrap()] {
        let client = Client::new(schema.clone());
        let mut memory = ResponseMemory::new(&client);
        for rounds in 1..=3 {
            round(&mut memory, &client, &[0, 1, 0, 1, 1, 0, 0, 1], ChangedAnswer::Refuse);
            let cost = memory.epsilon(&schema);
            assert!((cost - f64::from(rounds)).abs() < 1e-9, "{rounds}: {cost}");
        }
    }
}

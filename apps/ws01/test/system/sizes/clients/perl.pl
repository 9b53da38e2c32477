# perl.pl URL CALLS: SOAP::Lite and LWP. Each call prints its way, its name, ok, error or the status, and what came.
use strict;
use warnings;
use LWP::UserAgent;
use SOAP::Lite;
use Compress::Zlib;
$| = 1;
my ($url, $calls) = @ARGV;
my $ns = 'http://tempuri.org/ws01';

sub slurp { local $/; open my $file, '<:raw', $_[0] or die $!; return scalar <$file> }
sub say_line { my @all = map { my $one = $_ // ''; $one =~ s/[\n\t]/ /g; $one } @_; print join("\t", @all), "\n" }

open my $lines, '<', $calls or die $!;
for my $line (<$lines>) {
  chomp $line;
  my ($name, $operation, $body, @pairs) = split /\t/, $line;
  my $soap = SOAP::Lite->proxy($url, timeout => 600)->default_ns($ns)->on_action(sub { "\"$ns/$operation\"" });
  my @data = map { my ($key, $path) = split /=/, $_, 2; SOAP::Data->name($key)->type(string => slurp($path)) } @pairs;
  my $answer = eval { $soap->on_fault(sub { die(ref $_[1] ? $_[1]->faultstring : $_[0]->transport->status) })->call($operation, @data) };
  say_line('SOAP::Lite', $name, $answer ? ('ok', $answer->result) : ('error', $@));
  my $content = slurp($body);
  my %ways = (
    'LWP' => sub { $_[0]->content($content) },
    'LWP chunked' => sub { my $at = 0; $_[0]->content(sub { my $piece = $at < length $content ? substr($content, $at, 4096) : ''; $at += 4096; $piece }) },
    'LWP gzip' => sub { $_[0]->header('Content-Encoding' => 'gzip'); $_[0]->content(Compress::Zlib::memGzip($content)) },
  );
  for my $way (sort keys %ways) {
    my $request = HTTP::Request->new(POST => $url, ['Content-Type' => 'text/xml; charset=utf-8', SOAPAction => "\"$ns/$operation\""]);
    $ways{$way}->($request);
    my $got = LWP::UserAgent->new(timeout => 600)->request($request);
    say_line($way, $name, $got->code, $got->decoded_content);
  }
}
